import { type ClaimedCall, type Settlement } from '@sluice/store';
import { until } from '@sluice/testkit';
import { unfinished, useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

/** Two creates in doubt, claimed to be looked for. */
async function claimTwo(): Promise<[ClaimedCall, ClaimedCall]> {
  for (let n = 0; n < 2; n += 1) await fixture.accept();
  return (await fixture.claim()) as [ClaimedCall, ClaimedCall];
}
const adopt = (call: ClaimedCall, providerId = '77'): Settlement => ({
  ...call,
  isCreate: true,
  records: [{ index: 0, kind: 'succeeded', providerId, isAdopted: true }],
  next: { state: 'done' },
  orderKeys: [],
});
/** Until so many statements wait for a lock. */
const waiting = (count: number) => {
  const watching = fixture.connect();
  return until('statements that wait', async () => {
    const active = watching('pg_stat_activity').where({ wait_event_type: 'Lock' });
    const rows = await active.andWhereRaw('datname = current_database()').select('pid');
    return rows.length === count ? true : undefined;
  });
};
/** Settles one and then the other while the operation of a call is locked, so that both wait for it in this order. */
async function settleInTurn(locked: ClaimedCall, first: Settlement, second: Settlement): Promise<void> {
  const settled = await fixture.database.transaction(async (holding) => {
    await holding('operations').where('id', locked.operationId).forUpdate().select('id');
    const one = fixture.store.writes.settle([first]);
    await waiting(1);
    const other = fixture.store.writes.settle([second]);
    await waiting(2);
    return [[one], [other]];
  });
  await Promise.all(settled.flat());
}
const outcomesOf = async (calls: readonly ClaimedCall[]) => {
  const { operations } = fixture.store;
  const records = await Promise.all(calls.map((call) => operations.listRecords(call.projectId, call.operationId)));
  return records.flat().map(({ status, recordId }) => `${status} ${recordId ?? '-'}`);
};

// Two lookups at the same moment find the same record and no claim on it; only one of the two creates made it.
describe('two reconciliations that adopt one provider record', () => {
  it.each<[string, (settlements: readonly Settlement[]) => Promise<unknown>]>([
    ['in one transaction', (settlements) => fixture.store.writes.settle(settlements)],
    ['at the same time', (settlements) => Promise.all(settlements.map((each) => fixture.store.writes.settle([each])))],
  ])('%s: one succeeds, the other goes back into doubt', async (_case, settle) => {
    const calls = await claimTwo();
    const before = await fixture.database.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
    await settle(calls.map((call) => adopt(call)));
    expect((await outcomesOf(calls)).sort()).toEqual(['pending -', 'succeeded 77']);
    // Looked up again after a second, however slowly this test runs.
    const inDoubt = await fixture
      .database('calls')
      .where({ state: 'in_doubt' })
      .select<{ not_before: Date }[]>('not_before');
    const delaysMs = inDoubt.map((call) => call.not_before.getTime() - Number(before.rows[0]?.now));
    expect(delaysMs).toHaveLength(1);
    expect(delaysMs[0]).toBeGreaterThanOrEqual(1_000);
  });

  it('the answer has the state of the call, and its operation is not over', async () => {
    const [first, second] = await claimTwo();
    await fixture.store.writes.settle([adopt(first)]);
    const [settled] = (await fixture.store.writes.settle([adopt(second)])).answers.values();
    expect(settled).toMatchObject({ isHeld: true, next: { state: 'in_doubt' } });
    expect(settled).not.toHaveProperty('ended');
    expect(await fixture.store.operations.find(second.projectId, second.operationId)).toMatchObject({
      status: 'in_progress',
    });
  });

  it('different records: both succeed', async () => {
    const calls = await claimTwo();
    await fixture.store.writes.settle(calls.map((call, at) => adopt(call, `7${at}`)));
    expect((await outcomesOf(calls)).sort()).toEqual(['succeeded 70', 'succeeded 71']);
  });
});

// The create whose reply names the record has made it. Who adopted it was wrong, however late that is known.
describe('a reply that names a record which another create had adopted', () => {
  const reply = (call: ClaimedCall, providerId = '77'): Settlement => ({
    ...adopt(call),
    records: [{ index: 0, kind: 'succeeded', providerId }],
    attempt: { durationMs: 1, status: 201 },
  });
  const operationOf = ({ projectId, operationId }: ClaimedCall) =>
    fixture.store.operations.find(projectId, operationId);

  it.each<[string, (adopting: Settlement, owning: Settlement) => Promise<unknown>]>([
    [
      'later',
      async (adopting, owning) => {
        await fixture.store.writes.settle([adopting]);
        await fixture.store.writes.settle([owning]);
      },
    ],
    ['in one transaction', (adopting, owning) => fixture.store.writes.settle([adopting, owning])],
    ['at the same time', (...both) => Promise.all(both.map((settlement) => fixture.store.writes.settle([settlement])))],
  ])('%s: it owns the record, the adopter is looked up again', async (_case, settle) => {
    const [adopter, owner] = await claimTwo();
    await settle(adopt(adopter), reply(owner));
    expect(await outcomesOf([adopter, owner])).toEqual(['pending -', 'succeeded 77']);
    expect(await operationOf(adopter)).toMatchObject({ status: 'in_progress' });
    expect(await operationOf(owner)).toMatchObject({ status: 'success' });
    expect(await fixture.store.writes.findClaimedIds(owner, ['77'])).toEqual(new Set(['77']));
  });

  // Its statement looked for adoptions, and waits for a row: what it does not see must wait for it.
  it('a reply that is being stored: the adoption waits for it, and is undone', async () => {
    const [adopter, owner] = await claimTwo();
    await settleInTurn(owner, reply(owner), adopt(adopter));
    expect(await outcomesOf([adopter, owner])).toEqual(['pending -', 'succeeded 77']);
  });

  it('an adoption that is being stored: the reply waits for it, and undoes it', async () => {
    const [adopter, owner] = await claimTwo();
    await settleInTurn(adopter, adopt(adopter), reply(owner));
    expect(await outcomesOf([adopter, owner])).toEqual(['pending -', 'succeeded 77']);
  });

  it('two replies that name it at the same time: the adopter gives it back once', async () => {
    for (let created = 0; created < 3; created += 1) await fixture.accept();
    const [adopter, owner, other] = (await fixture.claim()) as [ClaimedCall, ClaimedCall, ClaimedCall];
    await fixture.store.writes.settle([adopt(adopter)]);
    await settleInTurn(adopter, reply(owner), reply(other));
    expect(await outcomesOf([adopter, owner, other])).toEqual(['pending -', 'succeeded 77', 'succeeded 77']);
    const counts = ['records_succeeded', 'calls_open', 'state'];
    expect(await fixture.database('operations').where('id', adopter.operationId).select(counts)).toEqual([
      { records_succeeded: 0, calls_open: 1, state: 'queued' },
    ]);
  });

  it('the adopter is claimed again in doubt, and ends again', async () => {
    const [adopter, owner] = await claimTwo();
    await fixture.store.writes.settle([adopt(adopter)]);
    expect(await operationOf(adopter)).toMatchObject({ status: 'success' });
    await fixture.store.writes.settle([reply(owner)]);
    const again = await until('the lookup', async () => (await fixture.claim())[0]);
    expect(again).toMatchObject({ operationId: adopter.operationId, isInDoubt: true });
    expect(await fixture.store.writes.loadPending(again)).toMatchObject([{ index: 0, sendState: 'maybe' }]);
    await fixture.store.writes.settle([adopt(again, '78')]);
    expect(await operationOf(adopter)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('completed'),
    });
    expect(await outcomesOf([adopter, owner])).toEqual(['succeeded 78', 'succeeded 77']);
  });

  it('a stale settlement of the adopter changes nothing any more', async () => {
    const [adopter, owner] = await claimTwo();
    await fixture.store.writes.settle([adopt(adopter)]);
    await fixture.store.writes.settle([reply(owner)]);
    const [settled] = (await fixture.store.writes.settle([adopt(adopter, '99')])).answers.values();
    expect(settled).toMatchObject({ isHeld: false });
    expect(await outcomesOf([adopter])).toEqual(['pending -']);
  });

  // A provider that answers two creates with one record has made one: both get the true outcome.
  it('nobody adopted it: both replies stand', async () => {
    const calls = await claimTwo();
    for (const call of calls) await fixture.store.writes.settle([reply(call)]);
    expect(await outcomesOf(calls)).toEqual(['succeeded 77', 'succeeded 77']);
  });
});

describe('equal creates in doubt', () => {
  const send = async (call: ClaimedCall, sentAgoMs: number): Promise<void> => {
    const intent = { ...call, records: [{ index: 0, fingerprint: 'equal' }] };
    await fixture.store.writes.recordIntents([intent]);
    await fixture.database.raw(
      `update calls set sent_at = now() - make_interval(secs => ?::float8 / 1000) where operation_id = ?`,
      [sentAgoMs, call.operationId],
    );
  };
  /** Its reply was ambiguous: it is to be looked up. */
  const doubt = async (call: ClaimedCall, indexes: readonly number[] = [0]): Promise<void> => {
    const records = indexes.map((index) => unfinished(index, 'maybe'));
    await fixture.settle(call, records, { next: { state: 'in_doubt', delayMs: 0 } });
  };
  const openTwins = async (call: ClaimedCall) => (await fixture.store.writes.readDoubt(call, 30_000)).openTwins;

  // Without the bound a stream of equal creates would keep the first of them in doubt for ever.
  it.each<[string, ours: number, theirs: number, open: readonly number[]]>([
    ['sent with ours and may still be answered', 10_000, 9_000, [0]],
    ['sent before ours and may still be answered', 10_000, 29_000, [0]],
    ['whose own window is over', 10_000, 31_000, []],
    ['sent within our window', 40_000, 15_000, [0]],
    ['sent after our window: it cannot have made what is ours', 40_000, 5_000, []],
  ])('a twin %s', async (_case, ours, theirs, open) => {
    const [mine, twin] = await claimTwo();
    await send(mine, ours);
    await doubt(mine);
    await send(twin, theirs);
    expect(await openTwins(mine)).toEqual(open);
    await doubt(twin);
    expect(await openTwins(mine)).toEqual(open);
  });

  // Many equal creates at once must not be read one by one: what counts is whether one of them may still be answered.
  it('any number of twins is one answer per record', async () => {
    const indexes = Array.from({ length: 420 }, (_, index) => index);
    await fixture.store.writes.accept([
      fixture.asynchronous(),
      fixture.asynchronous({ records: indexes.map(() => ({})) }),
    ]);
    const calls = await fixture.claim();
    const records = await Promise.all(calls.map((call) => fixture.store.writes.loadPending(call)));
    const isMine = (at: number): boolean => records[at]?.length === 1;
    const [mine, twins] = [calls.find((_, at) => isMine(at)), calls.find((_, at) => !isMine(at))] as [
      ClaimedCall,
      ClaimedCall,
    ];
    await send(mine, 10_000);
    await doubt(mine);
    const equal = indexes.map((index) => ({ index, fingerprint: 'equal' }));
    await fixture.store.writes.recordIntents([{ ...twins, records: equal }]);
    expect(new Set(records.map(({ length }) => length))).toEqual(new Set([1, 420]));
    expect(await openTwins(mine)).toEqual([0]);
    await doubt(twins, indexes);
    expect(await openTwins(mine)).toEqual([0]);
    expect(await openTwins(twins)).toHaveLength(420);
  });

  it('show when they were sent last', async () => {
    const [mine] = await claimTwo();
    await send(mine, 10_000);
    await doubt(mine);
    const { sinceSentMs, lastSentAt } = await fixture.store.writes.readDoubt(mine, 30_000);
    expect(sinceSentMs).toBeGreaterThanOrEqual(10_000);
    expect(Math.abs(Date.now() - sinceSentMs - Number(lastSentAt))).toBeLessThan(5_000);
  });
});
