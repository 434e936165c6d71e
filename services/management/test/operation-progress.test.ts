import type { LaneListReply, OperationProgress } from '@sluice/types';
import { useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const progressOf = async (id: string) =>
  (await prepared.send.get(`${prepared.path}/operations/${id}/progress`).expect(200)).body as OperationProgress;

it('an open batch shows how full it is and when it is sealed', async () => {
  const id = await prepared.join();
  await prepared.join();
  const progress = await progressOf(id);
  expect(progress).toMatchObject({
    operationId: id,
    status: 'in_progress',
    phase: 'accumulating',
    type: 'create',
    mode: 'auto-batched',
    batch: { recordsMax: 100, isFull: false },
    records: { total: 2, pending: 2, succeeded: 0, failed: 0, unknown: 0 },
    calls: { ready: 0, running: 0, done: 0 },
  });
  expect(Date.parse(progress.batch?.dueTime ?? '')).toBeGreaterThan(Date.now());
});

it('progress is reported call by call and record by record', async () => {
  const id = await prepared.accept(3);
  expect(await progressOf(id)).toMatchObject({
    phase: 'queued',
    calls: { ready: 1, retrying: 0 },
    records: { pending: 3 },
  });
  const again = { next: { state: 'ready', delayMs: 3_600_000 } } as const;
  await prepared.settle(['succeeded', 'again', 'failed'], again);
  const retrying = await progressOf(id);
  expect(retrying).toMatchObject({
    phase: 'queued',
    calls: { ready: 0, retrying: 1 },
    records: { total: 3, pending: 1, succeeded: 1, failed: 1 },
  });
  expect(Date.parse(retrying.nextAttemptTime ?? '')).toBeGreaterThan(Date.now());
  expect(retrying).not.toHaveProperty('batch');
});

it('the end is reported, and the unknown outcome', async () => {
  const id = await prepared.ended(['succeeded', 'unknown']);
  expect(await progressOf(id)).toMatchObject({
    status: 'success',
    phase: 'ended',
    calls: { done: 1, ready: 0 },
    records: { total: 2, pending: 0, succeeded: 1, unknown: 1 },
  });
});

it('a blocked lane and a requested cancel are reported', async () => {
  const id = await prepared.join();
  await management.database.raw(`update lanes set blocked_until = now() + interval '1 hour' where project_id = ?`, [
    prepared.seed.projectId,
  ]);
  const full = management.as(await management.newKey(prepared.seed.projectId, ['frontend']));
  await full.post(`${prepared.path}/operations/${id}:cancel`).expect(202);
  const { laneBlockedUntil, cancelRequestTime } = await progressOf(id);
  expect(Date.parse(laneBlockedUntil ?? '')).toBeGreaterThan(Date.now());
  expect(Date.parse(cancelRequestTime ?? '')).toBeLessThanOrEqual(Date.now() + 60_000);
});

// "It is about to be sent" would be a lie: nothing is sent before somebody gives the connection new credentials.
it('what waits for credentials names its connection, and since when', async () => {
  const id = await prepared.accept(1);
  const { projectId, connectionId, installationId, groupRef } = prepared.seed;
  expect(await progressOf(id)).toMatchObject({ installationId, groupRef });
  expect(await progressOf(id)).not.toHaveProperty('held');
  const { connections } = management.context.store;
  await connections.setStatus({ projectId, connectionId, tokenVersion: 1, status: 'bad_credentials' });
  const connection = await connections.find(projectId, connectionId);
  const firstExpireTime = new Date(Date.now() + 600_000).toISOString();
  await management.database('calls').where({ operation_id: id }).update({ deadline: firstExpireTime });
  const of = { connectionId, installationId, groupRef, provider: 'hubspot', authScheme: 'apiKey' };
  const held = { ...of, since: connection?.updateTime, firstExpireTime };
  expect((await progressOf(id)).held).toEqual(held);
  // What the seed writes is no whole plan.
  await management.database('records').where({ operation_id: id }).update({ plan: null });
  const explained = (await prepared.send.get(`${prepared.path}/operations/${id}/explanation`).expect(200))
    .body as object;
  expect(explained).toMatchObject({ held });
  const full = management.as(await management.newKey(projectId, ['frontend']));
  await full.post(`${prepared.path}/operations/${id}:cancel`).expect(202);
  await management.database('operations').where({ id }).update({ state: 'failed' });
  expect(await progressOf(id)).not.toHaveProperty('held');
});

it('how the provider failed last is reported while the call waits for its next attempt', async () => {
  const id = await prepared.accept(1);
  const attempt = { status: 503, durationMs: 12, error: { class: 'unavailable', text: 'Down.' } } as const;
  await prepared.settle(['again'], { attempt, next: { state: 'ready', delayMs: 3_600_000 } });
  const { lastFailure } = await progressOf(id);
  expect(lastFailure).toEqual({ class: 'unavailable', status: 503, time: expect.any(String) });
  const [lane] = ((await prepared.send.get(`${prepared.path}/lanes?waiting=true`).expect(200)).body as LaneListReply)
    .results;
  expect(lane?.lastFailure).toEqual(lastFailure);
  await management.database('calls').where({ operation_id: id }).update({ state: 'done' });
  expect(await progressOf(id)).not.toHaveProperty('lastFailure');
});
