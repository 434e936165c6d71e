/**
 * Fills an empty database of version 0.2.0 with work in every state, for `take-over.test.ts`. Run once, in a compiled checkout of that version:
 *   node make-dump.mjs <checkout> <postgres://…>
 *   pg_dump --inserts --no-owner --no-privileges <postgres://…> | grep -v '^\\\|^--\|^$' | gzip -9 > version-0.2.0.sql.gz
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

const [, , checkout, url] = process.argv;
const require = createRequire(join(checkout, 'libs/testkit/package.json'));
const { createStore, migrateDatabase, newId } = require('@sluice/store');
const { seedInstallation } = require(join(checkout, 'libs/testkit/dist/index.js'));

await migrateDatabase(url);
const store = createStore({ url, applicationName: 'dump', poolMax: 4 });
const seed = await seedInstallation(store);
const { projectId, integrationId, groupRef, installationId, configId, connectionId, revisionId } = seed;
const { key: keyId } = await store.apiKeys.create({
  projectId,
  label: 'a',
  scopes: ['full'],
  secret: 'a secret of a test',
});
const names = { withinProjectId: projectId, projectIdOrName: projectId, integrationId, groupRef };
const { laneId } = (await store.installationLookup.findIds(names)).ids;
const { writes } = store;

const pins = { installationId, configId, connectionId, revisionId, keyId };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const operationOf = (type, mode, objectName = 'contacts') => ({
  projectId,
  id: newId(),
  integrationId,
  laneId,
  objectName,
  type,
  mode,
  allOrNone: false,
  traceparent,
  pins,
});
const recordOf = (recordId) => ({
  headersKey: '',
  plan: JSON.stringify({
    type: recordId ? 'update' : 'create',
    objectName: 'contacts',
    fields: { email: `${newId()}@x.com` },
  }),
  retryMs: 172_800_000,
  ...(recordId && { orderKey: `${laneId}/contacts/${recordId}` }),
});
/** An asynchronous write of these record ids; undefined is a create. */
const accept = async (...recordIds) => {
  const operation = operationOf(recordIds[0] ? 'update' : 'create', 'asynchronous');
  const records = recordIds.map((recordId, index) => ({
    ...recordOf(recordId),
    index,
    callNumber: 1,
    ref: `ref-${index}`,
  }));
  await writes.accept([{ operation, records }]);
  return operation.id;
};
const claim = async (leaseMs = 1) => {
  const lanes = [{ projectId, laneId }];
  const request = { owner: 'dump', lanes, limit: 1, perLane: 1_000, leaseMs, isolated: false };
  const { calls } = await writes.claim(request);
  if (calls.length !== 1) throw new Error(`claimed ${calls.length}`);
  return calls[0];
};
const send = async () => {
  const call = await claim(60_000);
  const pending = await writes.loadPending(call);
  const records = pending.map(({ index }) => ({ index, fingerprint: `print-${call.operationId}-${index}` }));
  await writes.recordIntents([{ ...call, owner: 'dump', revisionId, records }]);
  return call;
};
const error = { class: 'rejected', text: 'The provider refused it.' };
const outcome = {
  succeeded: { kind: 'succeeded', providerId: '1' },
  failed: { kind: 'failed', error },
  unknown: { kind: 'unknown', error: { class: 'timeout', text: 'No reply.' } },
  again: { kind: 'again', sendState: 'none', error: { class: 'unavailable', text: 'Away.' } },
  maybe: { kind: 'again', sendState: 'maybe', error: { class: 'timeout', text: 'No reply.' } },
};
const settle = async (call, kinds, next = { state: 'done' }, more = {}) => {
  const records = kinds.map((kind, index) => ({
    index,
    ...outcome[kind],
    ...(kind === 'succeeded' && { providerId: newId() }),
    ...more,
  }));
  const isCreate = call.type === 'create';
  const given = { ...call, isCreate, attempt: { status: 200, durationMs: 5 }, records, next, orderKeys: [] };
  const settled = await writes.settle([given]);
  if ([...settled.values()].some(({ isHeld }) => !isHeld)) throw new Error('not settled');
};
const later = 3_600_000;
const join100 = async (objectName, count, more = {}, recordId) => {
  const members = Array.from({ length: count }, () => ({
    recordId: newId(),
    operation: operationOf(recordId ? 'update' : 'create', 'auto-batched', objectName),
    record: { ...recordOf(recordId), ref: newId() },
    maxDelayMs: 60_000,
    ...more,
  }));
  const answers = await writes.join(members);
  return answers.get(members[0].recordId).operationId;
};
const seal = (operationId) =>
  writes.seal({ projectId, operationId }, (records) => [
    { number: 1, connectionId, recordIndexes: records.map(({ index }) => index), planBytes: 1_000 },
  ]);

// Ended.
await accept(undefined, undefined);
await settle(await send(), ['succeeded', 'succeeded']);
await accept(undefined);
await settle(await send(), ['failed']);
await accept(undefined, undefined, undefined);
await settle(await send(), ['succeeded', 'failed', 'unknown']);
await accept(undefined);
await settle(await send(), ['succeeded'], { state: 'done' }, { isAdopted: true });
await accept(undefined);
await settle(await send(), ['failed'], { state: 'quarantined' });
await seal(await join100('companies', 100));
await settle(await send(), Array(100).fill('succeeded'));
// Running: not sent, and sent.
await accept(undefined, undefined);
await claim();
await accept(undefined);
await send();
// In doubt, and to be tried again.
await accept(undefined, undefined);
await settle(await send(), ['maybe', 'maybe'], { state: 'in_doubt', delayMs: later });
await accept('7');
await settle(await send(), ['again'], { state: 'ready', delayMs: later });
// A call that waits behind another.
await accept('8');
await send();
await accept('8');
await writes.claim({
  owner: 'dump',
  lanes: [{ projectId, laneId }],
  limit: 1,
  perLane: 1_000,
  leaseMs: 1,
  isolated: false,
});
// Divided.
await accept(undefined, undefined, undefined);
await settle(await send(), ['again', 'again', 'again'], { state: 'split', parts: [[0, 1], [2]] });
// Synchronous.
const synchronous = operationOf('create', 'synchronous');
await writes.openSynchronous({
  operation: synchronous,
  records: [{ ...recordOf(), index: 0, callNumber: 1, fingerprint: 'print-synchronous' }],
  owner: 'dump',
  leaseMs: 1,
  idempotency: { scope: 'write', key: 'synchronous', bodyHash: 'hash' },
});
// Batches: sealed, full, cancelled, and two that are open.
await seal(await join100('tickets', 100));
await join100('deals', 100);
await store.operations.requestCancel(projectId, await join100('tasks', 7));
await join100('contacts', 12, { idempotency: undefined });
await join100('contacts', 5, {}, '9');
await join100('notes', 1, { idempotency: { scope: 'write', key: 'joined', bodyHash: 'hash' } });
// Cancelled while it waits, and ready.
await store.operations.requestCancel(projectId, await accept(undefined));
await accept('10', '11');
await accept(undefined);

await store.close();
