import { until } from '@sluice/testkit';
import { createGround, type Ground, type Joined } from './_batcher';

let ground: Ground;
beforeEach(async () => {
  ground = await createGround();
});
afterEach(() => ground.close());

const cancel = ({ operationId }: Joined) => ground.store.operations.requestCancel(ground.seed.projectId, operationId);
const joinOne = async (): Promise<Joined> => {
  const [joined] = await ground.join([{}]);
  if (joined === undefined) throw new Error('nothing joined');
  return joined;
};

// Specification, auto batching: the id in a reply is the operation that writes the record. A cancelled one takes no more.
it('a batch that is cancelled takes no further record, before anybody has sealed it', async () => {
  const first = await joinOne();
  expect((await joinOne()).operationId).toBe(first.operationId);
  expect(await cancel(first)).toBe('requested');
  const next = await joinOne();
  expect(next.operationId).not.toBe(first.operationId);
  expect(await ground.stateOf(first.operationId)).toBe('accumulating');
  expect((await joinOne()).operationId).toBe(next.operationId);
});

it('a cancelled batch is sealed within a second, long before it is due, and its calls are announced', async () => {
  await ground.startBatcher();
  const [first] = (await ground.join([{}, {}, {}])) as [Joined];
  ground.announce(first);
  await cancel(first);
  await until(
    'the seal',
    async () => ((await ground.stateOf(first.operationId)) === 'queued' ? true : undefined),
    1_500,
  );
  expect(await ground.callsOf(first.operationId)).toEqual([{ number: 1, indexes: [0, 1, 2] }]);
  await until('the announcement', () => ground.ready.find(({ operationId }) => operationId === first.operationId));
});

it('a hundred joins around a cancel: each is in the batch that its reply names, and the cancelled one does not grow', async () => {
  const first = await joinOne();
  const joins = Array.from({ length: 100 }, () => joinOne());
  const cancelling = cancel(first);
  const joined = await Promise.all(joins);
  await cancelling;
  const counts = ground.database
    .select<{ id: string; records: number }[]>('operation_id as id', 'records')
    .from('open_batches')
    .where('is_open', true)
    .unionAll(ground.database('closed_batches').select('operation_id as id', 'records'));
  const rows = await counts;
  expect(rows.map(({ id }) => id)).toContain(first.operationId);
  for (const { id, records } of rows) {
    const named = [first, ...joined].filter(({ operationId }) => operationId === id);
    expect([id, records]).toEqual([id, named.length]);
  }
  const late = await joinOne();
  expect(late.operationId).not.toBe(first.operationId);
});
