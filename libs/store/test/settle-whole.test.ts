import { DependencyError } from '@sluice/errors';
import {
  callId,
  openDatabase,
  type ClaimedCall,
  type RecordSettlement,
  type Settled,
  type Settlement,
} from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import type { WriteDoneEvent } from '@sluice/types';
import { settle } from '../src/writes/settle';
import { settleTogether } from '../src/writes/settle-calls';
import { sealed } from './webhook-fixture';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture('file');

const rejected = (index: number): RecordSettlement => ({
  index,
  kind: 'failed',
  error: {
    class: 'rejected',
    text: `Email "${index}" is invalid`,
    problems: [{ field: 'mail', providerField: 'email', code: 'INVALID', message: `"${index}" {is}, invalid` }],
  },
});
const unknown: RecordSettlement = { index: 0, kind: 'unknown', error: { class: 'timeout', text: 'Outcome unknown.' } };
let lastId = 0;
const written = (index: number): RecordSettlement => ({
  index,
  kind: 'succeeded',
  providerId: String((lastId += 1)),
  warnings: ['one'],
});

/** Calls under way, each all of an operation with so many records. */
async function sendCalls(...counts: readonly number[]): Promise<ClaimedCall[]> {
  for (const count of counts) {
    await fixture.store.writes.accept([fixture.asynchronous({ records: Array.from({ length: count }, () => ({})) })]);
  }
  const calls = await fixture.claim();
  const intents = calls.map((call, at) => ({
    ...call,
    records: Array.from({ length: counts[at] ?? 0 }, (_, index) => ({ index })),
  }));
  await fixture.store.writes.recordIntents(intents);
  return calls;
}

const ended = (call: ClaimedCall | undefined, records: readonly RecordSettlement[], more: object = {}): Settlement => ({
  ...(call as ClaimedCall),
  isCreate: true,
  attempt: { durationMs: 7, status: 201, providerRequestId: 'r-1' },
  records,
  next: { state: 'done' },
  orderKeys: [],
  ...more,
});

/** Everything that is stored of an operation, but for its names and moments. */
async function storedOf({ operationId }: ClaimedCall): Promise<object> {
  const tables = {
    operations: 'id',
    calls: 'operation_id',
    records: 'operation_id',
    outcomes: 'operation_id',
    attempts: 'operation_id',
  };
  const stored: Record<string, unknown> = {};
  for (const [table, key] of Object.entries(tables)) {
    const { rows } = await fixture.database.raw<{ rows: Record<string, unknown>[] }>(
      `select * from ${table} where ${key} = ? order by 3, 4`,
      [operationId],
    );
    stored[table] = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !named.test(name))));
  }
  return stored;
}
const named = /^(id|operation_id|project_id|accept_seq|provider_ids?|not_before|deadline|.*_(at|until))$/;

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  let statements = 0;
  const count = (): void => void (statements += 1);
  fixture.database.on('query', count);
  await work().finally(() => fixture.database.removeListener('query', count));
  return statements;
}

// One statement and one commit is what an answer of a synchronous write waits for.
describe('calls that are all of their operation', () => {
  it('are settled by one statement', async () => {
    const [single, batch] = await sendCalls(1, 3);
    const settlements = [ended(single, [written(0)]), ended(batch, [written(0), rejected(1), rejected(2)])];
    expect(await statementsOf(() => settle(fixture.database, settlements, 1))).toBe(1);
    const results = await Promise.all(settlements.map((each) => find(each)));
    expect(results.map((each) => each?.result)).toEqual([
      'Write completed: create contacts',
      'Batch write completed (1 succeeded, 2 failed). First error, record 1: Email "1" is invalid',
    ]);
  });

  it('keep the outcome of each of a hundred records', async () => {
    const [batch] = (await sendCalls(100)) as [ClaimedCall];
    const indexes = Array.from({ length: 100 }, (_, index) => index);
    await settle(fixture.database, [ended(batch, indexes.map(written))], 1);
    const outcomes = fixture.database('outcomes').where('operation_id', batch.operationId);
    expect(await outcomes.select('record_indexes')).toEqual([{ record_indexes: indexes }]);
  });

  it.each<[string, number, () => RecordSettlement[], object]>([
    ['a record that was written', 1, () => [written(0)], {}],
    ['a record that was refused', 1, () => [rejected(0)], {}],
    ['a record of unknown outcome', 1, () => [unknown], {}],
    ['a batch that was written in part', 3, () => [rejected(2), written(0), rejected(1)], {}],
    ['a batch that was refused', 2, () => [rejected(0), rejected(1)], {}],
    ['what was not sent', 1, () => [rejected(0)], { attempt: undefined }],
    ['an update of unknown outcome', 1, () => [unknown], { isCreate: false, barrierMs: 30_000 }],
  ])('%s: stored and answered as beside others', async (_case, count, records, more) => {
    const [alone, beside] = (await sendCalls(count, count)) as [ClaimedCall, ClaimedCall];
    const [one, other] = [ended(alone, records(), more), ended(beside, records(), more)];
    const answers = [await settle(fixture.database, [one], 1), await settleTogether(fixture.database, [other], 1)];
    const [answer, expected] = [
      answers[0]?.answers.get(callId(one)),
      answers[1]?.answers.get(callId(other)),
    ] as Settled[];
    expect(answer).toEqual({ ...expected, ended: { ...expected?.ended, operationId: one.operationId } });
    expect(await storedOf(alone)).toEqual(await storedOf(beside));
  });
});

// The first end of a project's operation is notified of by the transaction, which remembers that there is an endpoint.
describe('operations whose ends are reported to an endpoint', () => {
  const bodies = async (): Promise<WriteDoneEvent[]> =>
    (await fixture.database('webhook_messages').orderBy('id').pluck<string[]>('payload')).map(
      (payload) => JSON.parse(payload) as WriteDoneEvent,
    );
  const unnamed = { id: '', createTime: '', data: { operationId: '', successfulRecordIds: [] } };

  it.each(['enabled', 'disabled'] as const)(
    'by one statement, beside those of before, when it is %s',
    async (status) => {
      const { projectId } = fixture.seeded;
      const endpoint = { projectId, url: 'https://receiver.example.com/', max: 20, seal: () => sealed };
      const added = await fixture.store.webhookEndpoints.create({ ...endpoint, eventTypes: ['write.async.done'] });
      const key = { projectId, endpointId: added?.id ?? '' };
      await fixture.store.webhookEndpoints.update(key, { status });
      const calls = await sendCalls(3, 3, 3);
      const settlements = calls.map((call) => ended(call, [written(0), rejected(1), written(2)]));
      const statements: number[] = [];
      for (const settlement of settlements)
        statements.push(await statementsOf(() => settle(fixture.database, [settlement], 1)));
      expect(statements.slice(1)).toEqual([1, 1]);
      const [first, ...others] = await bodies();
      expect(others.map((body) => ({ ...body, ...unnamed, data: { ...body.data, ...unnamed.data } }))).toEqual(
        status === 'disabled'
          ? []
          : [1, 2].map(() => ({ ...first, ...unnamed, data: { ...first?.data, ...unnamed.data } })),
      );
      expect(others.map(({ data }) => [data.operationId, data.successfulRecordIds])).toEqual(
        status === 'disabled' ? [] : settlements.slice(1).map((each) => [each.operationId, idsOf(each)]),
      );
      await fixture.store.webhookEndpoints.remove(key);
    },
  );
  const idsOf = ({ records }: Settlement) =>
    records.flatMap((record) => (record.kind === 'succeeded' ? [record.providerId] : []));
});

describe('what is more than its call, or not its own any more, is left to the transaction', () => {
  it('a lost fence: evidence, and nothing else', async () => {
    const [call] = await sendCalls(1);
    const settlement = ended(call, [written(0)], { fence: 9 });
    expect((await settle(fixture.database, [settlement], 1)).answers.get(callId(settlement))).toMatchObject({
      isHeld: false,
    });
    expect(await find(settlement)).toMatchObject({ status: 'in_progress' });
  });

  it('a second settlement of a call changes nothing', async () => {
    const [call] = await sendCalls(1);
    const settlement = ended(call, [written(0)]);
    await settle(fixture.database, [settlement], 1);
    const late = ended(call, [rejected(0)]);
    expect((await settle(fixture.database, [late], 1)).answers.get(callId(late))).toMatchObject({ isHeld: false });
    expect(await find(settlement)).toMatchObject({ status: 'success' });
  });

  it('a provider record that another create has adopted, beside one that nobody has', async () => {
    const [first, second, third] = await sendCalls(1, 1, 1);
    const twice = written(0);
    const adopting = ended(first, [{ ...twice, isAdopted: true } as RecordSettlement]);
    await settle(fixture.database, [adopting], 1);
    expect(await find(adopting)).toMatchObject({ status: 'success' });
    const settlements = [ended(second, [twice]), ended(third, [written(0)])];
    const { answers } = await settle(fixture.database, settlements, 1);
    expect([...answers.values()]).toMatchObject([{ isHeld: true }, { isHeld: true }]);
    expect(await find(adopting)).toMatchObject({ status: 'in_progress' });
    await fixture
      .database('calls')
      .where('operation_id', first?.operationId)
      .update({ not_before: new Date(0) });
    const [again] = await fixture.claim();
    expect(again).toMatchObject({ operationId: first?.operationId, isInDoubt: true });
    await settle(fixture.database, [ended(again, [written(0)])], 1);
  });

  it('a record that is left of a batch: the operation counts both attempts', async () => {
    const [call] = (await sendCalls(2)) as [ClaimedCall];
    const again: RecordSettlement = { index: 1, kind: 'again', sendState: 'none' };
    await settle(fixture.database, [ended(call, [written(0), again], { next: { state: 'ready', delayMs: 0 } })], 1);
    const [retried] = await fixture.claim();
    const settlement = ended(retried, [rejected(1)]);
    await settle(fixture.database, [settlement], 1);
    expect(await find(settlement)).toMatchObject({
      status: 'success',
      result: 'Batch write completed (1 succeeded, 1 failed). First error, record 1: Email "1" is invalid',
    });
  });

  // Its executor was thought dead: what it reports is evidence, and the create is looked up.
  it('a call whose lease lapsed', async () => {
    const [call] = await sendCalls(1);
    await fixture
      .database('calls')
      .where('operation_id', call?.operationId)
      .update({ lease_until: new Date(0) });
    await fixture.store.writes.lapse(10);
    const settlement = ended(call, [written(0)]);
    expect((await settle(fixture.database, [settlement], 1)).answers.get(callId(settlement))).toMatchObject({
      isHeld: false,
    });
    expect(await find(settlement)).toMatchObject({ status: 'in_progress' });
    const [again] = await fixture.claim();
    await settle(fixture.database, [ended(again, [written(0)])], 1);
    expect(await find(settlement)).toMatchObject({ status: 'success' });
  });
});

// If all were reported as failed, what the first statement has settled would be offered again, and be late.
describe('a transaction that fails is the news of those who are in it', () => {
  const again: RecordSettlement = { index: 0, kind: 'again', sendState: 'none' };
  const goesOn = { next: { state: 'ready', delayMs: 0 } } as const;

  it('takes too long: they may be offered again', async () => {
    const [one, other] = await sendCalls(1, 1);
    const settlements = [ended(one, [written(0)]), ended(other, [again], goesOn)] as const;
    const limits = { ...patientLimits, statementMs: 500 };
    const hurried = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits });
    const { answers } = await fixture.database.transaction(async (holding) => {
      await holding('operations').where('id', other?.operationId).forUpdate().select('id');
      return await settle(hurried, settlements, 1);
    });
    await hurried.destroy();
    expect(answers.get(callId(settlements[0]))).toMatchObject({ isHeld: true, ended: { status: 'success' } });
    expect(answers.get(callId(settlements[1]))).toBeInstanceOf(DependencyError);
    const offered = await settle(fixture.database, [settlements[1]], 1);
    expect(offered.answers.get(callId(settlements[1]))).toMatchObject({ isHeld: true });
  });

  it('the only one in it cannot be stored: it is missing from the answer', async () => {
    const [one, other] = await sendCalls(1, 1);
    const attempt = { durationMs: 7, status: 2 ** 40 };
    const settlements = [ended(one, [written(0)]), ended(other, [again], { ...goesOn, attempt })] as const;
    const { answers } = await settle(fixture.database, settlements, 1);
    expect([...answers.keys()]).toEqual([callId(settlements[0])]);
    expect(await find(settlements[0])).toMatchObject({ status: 'success' });
  });
});

const find = ({ projectId, operationId }: Settlement) => fixture.store.operations.find(projectId, operationId);
