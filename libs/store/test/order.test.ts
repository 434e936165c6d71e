import { DependencyError } from '@sluice/errors';
import {
  callId,
  type AcceptableWrite,
  type ClaimedCall,
  type Settled,
  type Settlement,
  type SynchronousWrite,
} from '@sluice/store';
import { until } from '@sluice/testkit';
import { lockOrderKeys } from '../src/writes/order-queue';
import { settle } from '../src/writes/settle';
import { settleTogether } from '../src/writes/settle-calls';
import { unfinished, useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const update = (...recordIds: string[]): AcceptableWrite =>
  fixture.asynchronous({ type: 'update', records: recordIds.map((recordId) => ({ recordId })) });
type Writes = AcceptableWrite[];

async function settlementOf(call: ClaimedCall, status: number): Promise<Settlement> {
  const pending = await fixture.store.writes.loadPending(call);
  return {
    ...call,
    isCreate: false,
    attempt: { status, durationMs: 1 },
    records: pending.map(({ index }) => ({ index, kind: 'succeeded' })),
    next: { state: 'done' },
    orderKeys: pending.flatMap(({ orderKey }) => orderKey ?? []),
  };
}
const synchronous = (recordId: string): SynchronousWrite => ({ ...update(recordId), owner: 'gateway', leaseMs: 6_000 });

describe('order per provider record', () => {
  it('runs asynchronous updates of one record in accept order', async () => {
    const first = update('1');
    const second = update('1');
    await fixture.store.writes.accept([first]);
    await fixture.store.writes.accept([second]);
    const claimed = await fixture.claim();
    expect(claimed.map((call) => call.operationId)).toEqual([first.operation.id]);
    expect(await fixture.claim()).toEqual([]);
    if (claimed[0]) await fixture.settleAll(claimed[0]);
    expect((await fixture.claim()).map((call) => call.operationId)).toEqual([second.operation.id]);
  });

  it('lets the free records of a call go and parks the blocked one', async () => {
    const first = update('1');
    const batch = update('1', '2', '3');
    await fixture.store.writes.accept([first]);
    const running = await fixture.claimOne();
    await fixture.store.writes.accept([batch]);
    const free = await fixture.claimOne();
    expect((await fixture.store.writes.loadPending(free)).map((record) => record.index)).toEqual([1, 2]);
    await fixture.settleAll(free);
    await fixture.settleAll(running);
    const released = await fixture.claimOne();
    expect((await fixture.store.writes.loadPending(released)).map((record) => record.index)).toEqual([0]);
    await fixture.settleAll(released);
    const operation = await fixture.store.operations.find(fixture.seeded.projectId, batch.operation.id);
    expect(operation).toMatchObject({ status: 'success', result: 'Batch write completed (3 succeeded, 0 failed)' });
  });

  it.each(['succeeded', 'unknown'] as const)('an update that %s: as beside others, by one statement', async (kind) => {
    const settled = [];
    const counts: number[] = [];
    for (const id of ['1', '2']) {
      const [first, second] = [update(id), update(id)];
      await fixture.store.writes.accept([first]);
      const claimed = await fixture.claim();
      const call = claimed.find(({ operationId }) => operationId === first.operation.id) as ClaimedCall;
      await fixture.send(call, 0);
      await fixture.store.writes.accept([second]);
      expect(await fixture.claim()).toEqual([]);
      const settlement = { ...(await settlementOf(call, 200)), barrierMs: 60_000 };
      const error = { class: 'timeout', text: 'Outcome unknown.' } as const;
      const records = kind === 'unknown' ? [{ index: 0, kind, error } as const] : settlement.records;
      let statements = 0;
      const count = (): void => void (statements += 1);
      fixture.database.on('query', count);
      const how = id === '1' ? settle : settleTogether;
      const { answers, released } = await how(fixture.database, [{ ...settlement, records }], 1);
      fixture.database.removeListener('query', count);
      counts.push(statements);
      expect(released.map(({ operationId }) => operationId)).toEqual([second.operation.id]);
      const answer = answers.get(callId(call)) as Settled;
      expect(answer).toMatchObject({ isHeld: true, ended: { operationId: call.operationId } });
      const stored = async (table: string, columns: string[], ...ids: string[]) =>
        (await fixture
          .database(table)
          .whereIn('operation_id', ids)
          .orderBy('operation_id')
          .select(columns)) as unknown[];
      settled.push([
        { ...answer, ended: { ...answer.ended, operationId: '' } },
        await stored('calls', ['state', 'members', 'crash_count', 'owner'], call.operationId, second.operation.id),
        await stored('records', ['is_unanswered', 'send_state', 'error_class'], call.operationId),
        await stored('outcomes', ['outcome', 'record_indexes', 'error_texts', 'lane_id'], call.operationId),
        (await stored('barriers', ['until'], call.operationId)).length,
        (await stored('order_queue', ['record_index'], call.operationId)).length,
        (await stored('order_queue', ['record_index'], second.operation.id)).length,
      ]);
    }
    expect(counts[0]).toBe(1);
    expect(settled[0]).toEqual(settled[1]);
    expect(settled[0]?.slice(4)).toEqual([kind === 'unknown' ? 1 : 0, 0, 1]);
  });

  // The settlement began before the other write was accepted, and the claim that let it wait holds the lock of its key.
  it('a write that was made to wait while the settlement waited for the key is released', async () => {
    const [first, second] = [update('1'), update('1')];
    await fixture.store.writes.accept([first]);
    const call = await fixture.claimOne();
    const settlement = await settlementOf(call, 200);
    const waitsForKey = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
    const other = fixture.connect();
    let settling: ReturnType<typeof settle> | undefined;
    await other.transaction(async (claiming) => {
      await lockOrderKeys(claiming, settlement.orderKeys);
      settling = settle(fixture.database, [settlement], 1);
      await until(
        'the settlement waits',
        async () => (await fixture.database.raw<{ rows: unknown[] }>(waitsForKey)).rows[0],
      );
      await fixture.store.writes.accept([second]);
      await claiming('calls').where({ operation_id: second.operation.id }).update({ state: 'waiting' });
    });
    expect((await settling)?.released).toMatchObject([{ operationId: second.operation.id }]);
    expect(await fixture.claim()).toMatchObject([{ operationId: second.operation.id }]);
  });

  // Else what waited behind all but one of them is found by the sweep alone, seconds later.
  it('reports once each call that was released, whatever the database refuses beside it', async () => {
    const [firsts, seconds] = [0, 1].map(() => ['1', '2', '3', '4'].map((id) => update(id))) as [Writes, Writes];
    await fixture.store.writes.accept(firsts);
    const running = await fixture.claim();
    await fixture.store.writes.accept(seconds);
    expect(await fixture.claim({ perLane: 8 })).toEqual([]);
    const refused = running.find(({ operationId }) => operationId === firsts[0]?.operation.id);
    const settlements = await Promise.all(running.map((call) => settlementOf(call, call === refused ? 2 ** 40 : 200)));
    const { answers, released } = await fixture.store.writes.settle(settlements);
    expect(answers.size).toBe(3);
    const behind = seconds.slice(1).map(({ operation }) => operation.id);
    expect(released.map(({ operationId }) => operationId).toSorted()).toEqual(behind.toSorted());
  });

  // The database goes away between two of the transactions that follow a refused one. What the first released must not wait for the sweep.
  it('reports what was released before the database went away', async () => {
    const [firsts, seconds] = [0, 1].map(() => ['1', '2', '3'].map((id) => update(id))) as [Writes, Writes];
    await fixture.store.writes.accept(firsts);
    const running = await fixture.claim();
    await fixture.store.writes.accept(seconds);
    expect(await fixture.claim()).toEqual([]);
    const settlements = await Promise.all(running.map((call, at) => settlementOf(call, at === 1 ? 2 ** 40 : 200)));
    // The first transaction is of all of them, the second of the first alone.
    let transactions = 0;
    const database = new Proxy(fixture.database, {
      get: (target, name) => {
        if (name === 'transaction') transactions += 1;
        if (transactions > 2) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
        return Reflect.get(target, name) as unknown;
      },
    });
    const { answers, released } = await settle(database, settlements, 1);
    const [first, ...others] = settlements.map((settlement) => answers.get(callId(settlement)));
    expect(first).toMatchObject({ isHeld: true, ended: { status: 'success' } });
    for (const other of others) expect(other).toBeInstanceOf(DependencyError);
    const at = firsts.findIndex(({ operation }) => operation.id === running[0]?.operationId);
    expect(released.map(({ operationId }) => operationId)).toEqual([seconds[at]?.operation.id]);
  });

  it('is busy for a synchronous write while a call executes on the record, and overtakes queued ones', async () => {
    const queued = update('1');
    await fixture.store.writes.accept([queued]);
    expect(await fixture.store.writes.openSynchronous(synchronous('1'))).toMatchObject({
      kind: 'opened',
      queuedBehind: [queued.operation.id],
    });
    expect(await fixture.store.writes.openSynchronous(synchronous('1'))).toEqual({ kind: 'busy' });
    expect(await fixture.claim()).toEqual([]);
    expect(await fixture.store.writes.openSynchronous(synchronous('2'))).toMatchObject({
      kind: 'opened',
      queuedBehind: [],
    });
  });

  it('skips the writes that wait behind others, and lets the oldest go first', async () => {
    const writes = Array.from({ length: 12 }, () => update('1'));
    for (const write of writes) await fixture.store.writes.accept([write]);
    const other = update('2');
    await fixture.store.writes.accept([other]);
    const claimed = await fixture.claim();
    expect(claimed.map((call) => call.operationId)).toEqual([writes[0]?.operation.id, other.operation.id]);
    if (claimed[0]) await fixture.settleAll(claimed[0]);
    await fixture.store.writes.accept([update('3')]);
    expect((await fixture.claim({ limit: 1 }))[0]?.operationId).toBe(writes[1]?.operation.id);
  });

  it('is busy however many writes are queued before the one that runs', async () => {
    for (let at = 0; at < 105; at += 1) await fixture.store.writes.accept([update('1')]);
    expect((await fixture.store.writes.openSynchronous(synchronous('1'))).kind).toBe('opened');
    expect((await fixture.store.writes.openSynchronous(synchronous('1'))).kind).toBe('busy');
  });

  it('holds the next write back while an attempt may still be applied', async () => {
    await fixture.store.writes.accept([update('1')]);
    await fixture.store.writes.accept([update('1')]);
    const call = await fixture.claimOne();
    const next = { state: 'ready', delayMs: 0 } as const;
    await fixture.settle(call, [unfinished(0, 'maybe')], { next, barrierMs: 60_000 });
    // The retry does not stand behind its own barrier.
    await fixture.settleAll(await fixture.claimOne());
    expect(await fixture.claim()).toEqual([]);
  });

  it('never starts two writes to one record at once, whoever tries', async () => {
    const writes = Array.from({ length: 3 }, () => update('1'));
    for (const write of writes) await fixture.store.writes.accept([write]);
    const tries = await Promise.all([
      fixture.claim(),
      fixture.store.writes.openSynchronous(synchronous('1')),
      fixture.claim(),
      fixture.store.writes.openSynchronous(synchronous('1')),
    ]);
    const started = tries.flatMap((each): object[] => {
      if (Array.isArray(each)) return each;
      return 'kind' in each && each.kind === 'opened' ? [each] : [];
    });
    expect(started).toHaveLength(1);
  });

  it('repairs a release that was missed', async () => {
    for (let at = 0; at < 2; at += 1) await fixture.store.writes.accept([update('1')]);
    const call = await fixture.claimOne();
    expect(await fixture.claim()).toEqual([]);
    await fixture.settleAll(call);
    await fixture.database('calls').where({ state: 'ready' }).update({ state: 'waiting' });
    expect(await fixture.store.writes.repairOrder({ limit: 100 })).toMatchObject({ found: [fixture.lane] });
    expect(await fixture.claim()).toHaveLength(1);
  });
});
