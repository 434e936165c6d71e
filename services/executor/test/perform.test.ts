import { Writable } from 'node:stream';
import { createLogger } from '@sluice/telemetry';
import { until } from '@sluice/testkit';
import { canary, useFixture } from './_executor';

const fixture = useFixture();

const sweepsOff = { SLUICE_SWEEPS: 'off' };

it('a message wakes a claim: the write is sent once and its operation ends as a success', async () => {
  const seed = await fixture.seed();
  const executor = await fixture.startExecutor(sweepsOff);
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com', firstname: 'Zoë' }]);
  expect(await fixture.ended(seed, operationId)).toMatchObject({
    status: 'success',
    result: 'Write completed: create contacts',
    metadata: { successfulRecordIds: ['1000'], retry: { attempts: 1 } },
  });
  expect(fixture.hubspot.calls).toMatchObject([
    {
      method: 'POST',
      path: '/crm/v3/objects/contacts',
      token: canary,
      properties: { email: 'a@x.com', firstname: 'Zoë' },
    },
  ]);
  expect(await executor.claimed('message')).toBe(1);
  const [attempt] = await fixture.database('attempts').select('status', 'record_indexes', 'error_class', 'finished_at');
  expect(attempt).toEqual({ status: 201, record_indexes: [0], error_class: null, finished_at: expect.any(Date) });
  expect(await fixture.store.connections.find(seed.projectId, seed.connectionId)).toMatchObject({ status: 'working' });
});

it('none written is a failure, its result is the text of the provider, and its log line says whose and which, without that text', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  const seed = await fixture.seed();
  await fixture.startExecutor(sweepsOff, { logger: createLogger({ service: 'executor', destination }) });
  const operationId = await fixture.accept(seed, [{ id: '404', city: 'Bern' }], {
    type: 'update',
    ref: 'crm-17',
  });
  expect(await fixture.ended(seed, operationId)).toMatchObject({ status: 'failure', result: 'resource not found' });
  const line = await until('the end is logged', async () => lines.find(({ event }) => event === 'operation.ended'));
  const { projectId, groupRef } = seed;
  const failure = { provider: 'hubspot', objectName: 'contacts', ref: 'crm-17', class: 'not-found', answered: 404 };
  expect(line).toMatchObject({ operationId, status: 'failure', projectId, groupRef, ...failure });
  expect(JSON.stringify(lines)).not.toContain('resource not found');
});

// A message carries names only, so a replay is harmless.
it('[sec-13] repeated and foreign messages send nothing twice', async () => {
  const seed = await fixture.seed();
  await fixture.startExecutor(sweepsOff);
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }]);
  for (let times = 0; times < 20; times += 1) await fixture.announce(operationId);
  await fixture.ended(seed, operationId);
  await fixture.announce(operationId);
  const last = await fixture.accept(seed, [{ email: 'b@x.com' }]);
  await fixture.ended(seed, last);
  expect(fixture.hubspot.calls).toHaveLength(2);
});

// Postgres decides: a message only wakes a lane, and a lane belongs to its project.
it("[sec-13] a forged message for another project's operation, or for nothing, changes nothing and is counted", async () => {
  const [seed, other] = await Promise.all([fixture.seed({ accountRef: '1' }), fixture.seed({ accountRef: '2' })]);
  const executor = await fixture.startExecutor(sweepsOff);
  const resting = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
  await fixture.database('calls').update({ not_before: fixture.database.raw(`now() + interval '1 hour'`) });
  const blocked = await fixture.accept(other, [{ email: 'b@x.com' }], { announce: false });
  await fixture.store.writes.blockLane({ projectId: other.projectId, laneId: other.laneId }, 60_000, 'quota');
  const stored = async () => [
    await fixture.database('operations').orderBy('id').select('*'),
    await fixture.database('calls').orderBy('operation_id').select('*'),
    await fixture.database('records').orderBy('operation_id').select('*'),
  ];
  const before = await stored();
  for (let times = 0; times < 5; times += 1) {
    // The names of both projects crossed, true names of what may not be sent now, and names of nothing.
    await fixture.announce(resting, { projectId: other.projectId });
    await fixture.announce(resting, { laneId: other.laneId });
    await fixture.announce(resting, { operationId: blocked });
    await fixture.announce(blocked, { projectId: 'nobody', laneId: 'nothing', operationId: 'nothing' });
    await fixture.announce(blocked);
  }
  // A true write behind the forged ones: when it is done, they are.
  const third = await fixture.seed({ accountRef: '3' });
  expect(await fixture.ended(third, await fixture.accept(third, [{ email: 'c@x.com' }]))).toMatchObject({
    status: 'success',
  });
  await until('all orphans', async () => ((await executor.orphans()) >= 3 ? true : undefined));
  const own = (rows: { project_id: string }[]) => rows.filter((row) => row.project_id !== third.projectId);
  expect((await stored()).map(own)).toEqual(before);
  expect(fixture.hubspot.calls).toHaveLength(1);
});

it('the sweep finds what no message announced', async () => {
  const seed = await fixture.seed();
  const executor = await fixture.startExecutor();
  const operationId = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
  expect(await fixture.ended(seed, operationId)).toMatchObject({ status: 'success' });
  expect(await executor.claimed('sweep')).toBe(1);
});

// With the sweeps off nothing but messages can find work: a lane that is passed over must be taken up again.
it('more lanes than slots: all of them are served through messages alone', async () => {
  const seeds = await Promise.all(Array.from({ length: 6 }, (_, at) => fixture.seed({ accountRef: `a${at}` })));
  await fixture.startExecutor({ ...sweepsOff, SLUICE_CONCURRENCY: '1' });
  fixture.hubspot.behave = async (_call, apply) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return apply();
  };
  const ids = await Promise.all(
    seeds.flatMap((seed, at) =>
      [1, 2].map(async (n) => ({ seed, id: await fixture.accept(seed, [{ email: `r${at}${n}@x.com` }]) })),
    ),
  );
  for (const { seed, id } of ids) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
});
