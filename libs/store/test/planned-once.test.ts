import { type AcceptableWrite, type BatchMembership, type Settlement, type SynchronousWrite } from '@sluice/store';
import { knex, type Knex } from 'knex';
import { connectionStore } from '../src/connections/connection-store';
import { installationLookup } from '../src/installations/installation-lookup';
import { createWriteStore } from '../src/writes/write-store';
import { createWriteFixture, type WriteFixture } from './write-fixture';

let fixture: WriteFixture;
let database: Knex;
beforeEach(async () => {
  fixture = await createWriteFixture();
  // Plans belong to a connection. None is renewed, and no table is analyzed meanwhile: Postgres would compare a plan for tables that have grown with
  // what the first executions cost.
  database = knex({ client: 'pg', connection: fixture.url, pool: { min: 0, max: 1 } });
  const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  for (const { name } of tables) await database.raw('alter table ?? set (autovacuum_enabled = off)', [name]);
});
afterEach(async () => {
  await database.destroy();
  await fixture.close();
});

/** What Postgres plans for the values of an execution, before it compares the cost of one plan for all. */
const firstExecutions = 5;
const rounds = 2 * firstExecutions;

// Observed: the opening of a synchronous update was planned each time, 0.9 of its 1.3 ms, because the planner saw how many keys there were.
it('each statement with a name gets one plan for all executions', async () => {
  const { seeded, lane } = fixture;
  const writes = createWriteStore(database, 1);
  const lookup = installationLookup(database);
  const connections = connectionStore(database);
  const names = {
    withinProjectId: seeded.projectId,
    projectIdOrName: seeded.projectId,
    integrationId: seeded.integrationId,
    groupRef: seeded.groupRef,
  };
  for (let round = 0; round < rounds; round += 1) {
    const ofKey = (key: string) => ({ idempotency: { scope: 'write', key: `${key} ${round}`, bodyHash: 'hash' } });
    const updateOf = (name: string) =>
      fixture.asynchronous({ type: 'update', records: [{ recordId: `${name} ${round}` }] });
    const synchronous = (write: AcceptableWrite): SynchronousWrite => ({ ...write, owner: 'gateway', leaseMs: 60_000 });

    await lookup.findManyIds([names]);
    await lookup.findManyAccounts([names]);
    await connections.findManyCredentials([{ projectId: seeded.projectId, connectionId: seeded.connectionId }]);
    await writes.readLaneBlocks([lane]);
    await writes.openTogether([synchronous(fixture.asynchronous())]);
    await writes.openTogether([{ ...synchronous(fixture.asynchronous()), ...ofKey('create') }]);
    await writes.openSynchronous(synchronous(updateOf('one')));
    await writes.openSynchronous({ ...synchronous(updateOf('another')), ...ofKey('update') });
    await writes.accept([fixture.asynchronous(), updateOf('queued')]);
    await writes.accept([{ ...fixture.asynchronous(), ...ofKey('accept') }]);

    const batch = Array.from({ length: 100 }, () => fixture.batchable());
    const joined = await writes.join(batch);
    const { operationId } = joined.get(batch[0]?.recordId ?? '') as BatchMembership;
    await writes.seal({ projectId: seeded.projectId, operationId }, (records) => [
      {
        number: 1,
        connectionId: seeded.connectionId,
        recordIndexes: records.map(({ index }) => index),
        planBytes: records.length,
      },
    ]);

    const request = { owner: 'test', lanes: [lane], limit: 64, perLane: 64, leaseMs: 60_000, isolated: false };
    const { calls } = await writes.claim(request);
    expect(calls).toHaveLength(4);
    const loaded = await writes.loadManyPending(calls);
    await writes.recordIntents(calls.map((call, at) => ({ ...call, records: loaded[at] ?? [] })));
    const settlements = calls.map((call, at): Settlement => ({
      ...call,
      isCreate: call.type === 'create',
      attempt: { durationMs: 1, status: 201 },
      records: (loaded[at] ?? []).map(({ index }) => ({ index, kind: 'succeeded', providerId: `${round} ${index}` })),
      next: { state: 'done' },
      orderKeys: (loaded[at] ?? []).flatMap(({ orderKey }) => orderKey ?? []),
    }));
    expect((await writes.settle(settlements)).answers.size).toBe(4);
  }
  const { rows: prepared } = await database.raw<{ rows: { name: string; once: number; kept: number }[] }>(
    `select name, custom_plans::integer as once, generic_plans::integer as kept from pg_prepared_statements
     where name <> '' order by name`,
  );
  expect(prepared.filter(({ once, kept }) => once > firstExecutions || kept === 0)).toEqual([]);
  const onTheWay = [
    'open-creates',
    'open-ordered',
    'open-keyed-ordered',
    'accept-singles',
    'join-batches',
    'seal-batch',
    'take-calls',
    'settle-calls',
    'release-waiting',
  ];
  expect(prepared.map(({ name }) => name)).toEqual(expect.arrayContaining(onTheWay));
});
