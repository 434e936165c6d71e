import { until } from '@sluice/testkit';
import { createFixture, type BatchableOptions, type Fixture } from './_batcher';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await createFixture(60);
});
afterEach(() => fixture.close());

/** Joins the records, waits for the flush, returns the operation and its calls as lists of record indexes. */
async function flush(options: readonly BatchableOptions[]) {
  const joined = await fixture.join(options.map((each) => ({ maxDelayMinutes: 1, ...each })));
  const { operationId } = joined[0] as { operationId: string };
  await fixture.startBatcher();
  await until('the flush', async () => ((await fixture.stateOf(operationId)) === 'queued' ? true : undefined));
  return { operationId, calls: (await fixture.callsOf(operationId)).map(({ indexes }) => indexes) };
}

it('the second write to a record goes into a later call, and the third into one after that', async () => {
  const ids = ['1', '2', '1', '3', '1', '2'];
  expect((await flush(ids.map((recordId) => ({ recordId })))).calls).toEqual([[0, 1, 3], [2, 5], [4]]);
});

it('a change of connection in the middle of a batch, and back: each record is in a call of its own connection, on its lane', async () => {
  const { projectId, connectionId } = fixture.seed;
  const other = await fixture.store.connections.create({
    projectId,
    provider: 'hubspot',
    groupRef: 'group-1',
    consumerRef: 'user-1',
    authScheme: 'apiKey',
    reportedAccountRef: '7',
    seal: () => ({ text: 'x', keyId: 'k' }),
  });
  const [first] = await fixture.join([{ maxDelayMinutes: 6 }]);
  await fixture.database('installations').where({ project_id: projectId }).update({ connection_id: other.id });
  const [second] = await fixture.join([{ maxDelayMinutes: 1, connectionId: other.id }]);
  await fixture.database('installations').where({ project_id: projectId }).update({ connection_id: connectionId });
  const [third] = await fixture.join([{ maxDelayMinutes: 1 }]);
  const operationId = first?.operationId ?? '';
  expect([second?.operationId, third?.operationId]).toEqual([operationId, operationId]);
  await fixture.startBatcher();
  await until('the flush', async () => ((await fixture.stateOf(operationId)) === 'queued' ? true : undefined));
  expect((await fixture.callsOf(operationId)).map(({ indexes }) => indexes)).toEqual([[0, 2], [1]]);
  const calls = await fixture
    .database('calls')
    .where({ operation_id: operationId })
    .orderBy('number')
    .select('connection_id', 'lane_id');
  expect((calls as { connection_id: string }[]).map((call) => call.connection_id)).toEqual([connectionId, other.id]);
  expect(new Set((calls as { lane_id: string }[]).map((call) => call.lane_id)).size).toBe(2);
  const announced = await until('the announcements', () => (fixture.ready.length === 2 ? fixture.ready : undefined));
  expect(announced.map(({ laneId }) => laneId)).toEqual((calls as { lane_id: string }[]).map((call) => call.lane_id));
});

it('a record behind an unfinished write of another operation gets a call of its own', async () => {
  const earlier = await fixture.join([{ recordId: '1' }]);
  // Out of the way, so that the next records open a batch of their own.
  await fixture
    .database('open_batches')
    .where({ operation_id: earlier[0]?.operationId ?? '' })
    .update({ is_open: false });
  expect((await flush([{ recordId: '2' }, { recordId: '1' }, { recordId: '3' }])).calls).toEqual([[0, 2], [1]]);
});

it('the retry time of each record starts at the seal', async () => {
  const { operationId } = await flush([{}]);
  const [row] = await fixture
    .database('calls as c')
    .join('operations as o', 'o.id', 'c.operation_id')
    .where('c.operation_id', operationId)
    .select(fixture.database.raw('round(extract(epoch from c.deadline - o.updated_at))::integer as seconds'));
  expect(row).toEqual({ seconds: 60 });
});

// The plans of one call stand in an executor's memory at once: 95 MB of them ended it eight times over. Only their sizes are read to divide them.
it('a batch of 95 MB is divided by bytes, and still leaves as one operation', async () => {
  const joined = await fixture.join(Array.from({ length: 100 }, () => ({ maxDelayMinutes: 6 })));
  const { operationId } = joined[0] as { operationId: string };
  const records = () => fixture.database('records').where({ operation_id: operationId });
  await records().update({ plan: fixture.database.raw(`plan || repeat(' ', 950000 - octet_length(plan))`) });
  await fixture.startBatcher();
  await until('the flush', async () => ((await fixture.stateOf(operationId)) === 'queued' ? true : undefined));
  const calls = (await fixture.callsOf(operationId)).map(({ indexes }) => indexes);
  expect(calls.map((indexes) => indexes.length)).toEqual(Array(25).fill(4));
  expect(calls.flat()).toEqual(Array.from({ length: 100 }, (_, at) => at));
  const sizes = await fixture.database('calls').where({ operation_id: operationId }).distinct('plan_kb');
  expect(sizes).toEqual([{ plan_kb: 3_800 }]);
});
