import { setTimeout as sleep } from 'node:timers/promises';
import { newId, type ClaimedCall, type PendingRecord, type RecordSettlement, type Settlement } from '@sluice/store';
import { useWriteFixture } from './write-fixture';

// Claims, intents, settlements, retries, divisions, lapses and late replies at once. Whatever comes first, a record that has no outcome is in one living
// call, says that it was sent if nobody knows what became of it, and ends once; each intent that was committed is one attempt.

const fixture = useWriteFixture();

const raceMs = 10_000;
const leaseMs = 500;
const chance = (of: number): boolean => Math.random() < of;

const ended = ({ index }: PendingRecord): RecordSettlement => ({ index, kind: 'succeeded', providerId: newId() });
const again = ({ index }: PendingRecord, sendState: 'none' | 'maybe'): RecordSettlement => ({
  index,
  kind: 'again',
  sendState,
});

function settlementOf(call: ClaimedCall, records: readonly RecordSettlement[], next?: Settlement['next']): Settlement {
  const isOpen = records.some(({ kind }) => kind === 'again');
  const isMaybe = records.some((record) => record.kind === 'again' && record.sendState === 'maybe');
  return {
    ...call,
    isCreate: call.type === 'create',
    records,
    next: next ?? (isOpen ? { state: isMaybe ? 'in_doubt' : 'ready', delayMs: 0 } : { state: 'done' }),
    orderKeys: [],
  };
}

/** Of what was sent: written, in part to be tried again, of unknown outcome, or refused as a whole and divided. */
function replyTo(call: ClaimedCall, records: readonly PendingRecord[]): Settlement {
  const attempt = { status: 200, durationMs: 1 };
  if (records.length > 1 && chance(0.3)) {
    const indexes = records.map(({ index }) => index);
    const parts = [indexes.slice(0, 1), indexes.slice(1)];
    const refused = records.map(({ index }): RecordSettlement => ({
      index,
      kind: 'again',
      sendState: 'none',
      isUntried: true,
    }));
    return { ...settlementOf(call, refused, { state: 'split', parts }), attempt };
  }
  const isUnknown = call.type === 'create' && chance(0.3);
  const settled = records.map((record) => (chance(0.6) ? ended(record) : again(record, isUnknown ? 'maybe' : 'none')));
  return { ...settlementOf(call, settled), attempt };
}

it('each record is in one living call until it ends, once', async () => {
  const { writes } = fixture.store;
  const keysOf = new Map<string, string>();
  const ends = new Map<string, number>();
  const intents: string[] = [];
  const accept = async (): Promise<void> => {
    const type = chance(0.4) ? ('update' as const) : ('create' as const);
    const size = 1 + Math.floor(Math.random() * 5);
    const records = Array.from({ length: size }, () =>
      type === 'update' ? { recordId: String(Math.ceil(Math.random() * 4)) } : {},
    );
    const write = fixture.asynchronous({ type, records });
    for (const { index, orderKey } of write.records)
      if (orderKey !== undefined) keysOf.set(`${write.operation.id}/${index}`, orderKey);
    await writes.accept([write]);
  };
  const settle = async (settlement: Settlement): Promise<void> => {
    const { operationId, records } = settlement;
    const over = records.filter(({ kind }) => kind !== 'again').map(({ index }) => `${operationId}/${index}`);
    const orderKeys = over.flatMap((key) => keysOf.get(key) ?? []);
    const [answer] = (await writes.settle([{ ...settlement, orderKeys }])).answers.values();
    if (answer instanceof Error || answer === undefined) throw answer ?? new Error('not settled');
    if (answer.isHeld) for (const key of over) ends.set(key, (ends.get(key) ?? 0) + 1);
  };
  const claim = async (isolated: boolean): Promise<readonly ClaimedCall[]> => {
    const request = { owner: 'test', lanes: [fixture.lane], limit: 3, perLane: 12, leaseMs, isolated };
    return (await writes.claim(request)).calls;
  };
  const run = async (call: ClaimedCall, isLast: boolean): Promise<void> => {
    const records = await writes.loadPending(call);
    if (call.isInDoubt) {
      const isFound = isLast || chance(0.3);
      return await settle(
        settlementOf(
          call,
          records.map((record) => (isFound ? ended(record) : again(record, 'none'))),
        ),
      );
    }
    const intent = { ...call, records: records.map(({ index }) => ({ index, fingerprint: 'equal' })) };
    if ((await writes.recordIntents([intent])).size === 0) return;
    intents.push(`${call.operationId}/${call.number}/${call.fence}/${intent.records.map(({ index }) => index).join()}`);
    if (isLast) return await settle({ ...settlementOf(call, records.map(ended)), attempt: { durationMs: 1 } });
    // Dies, or answers when others have the call.
    if (chance(0.2)) return;
    if (chance(0.2)) await sleep(2 * leaseMs);
    await settle(replyTo(call, records));
  };
  let over = 0;
  const until = async (work: () => Promise<unknown>, restMs: number): Promise<void> => {
    while (performance.now() < over) {
      await work();
      await sleep(Math.random() * restMs);
    }
  };
  const work = async (): Promise<void> =>
    void (await Promise.all((await claim(chance(0.2))).map((call) => run(call, false))));
  const race = async (): Promise<void> => {
    over = performance.now() + raceMs;
    await Promise.all([
      until(accept, 20),
      ...Array.from({ length: 5 }, () => until(work, 5)),
      until(() => writes.lapse(10), 50),
      until(() => writes.repairOrder({ limit: 100 }), 200),
    ]);
  };
  const seenTimes = async (): Promise<number[]> => {
    const [seen] = await fixture.database('attempts').select(
      fixture.database.raw(`count(*) filter (where finished_at is null)::integer as lapsed,
        count(*) filter (where late_evidence is not null)::integer as late,
        count(*) filter (where call_number > 1)::integer as divided`),
    );
    return Object.values(seen as Record<string, number>);
  };
  // Until each way was there: a busy machine does less in a time.
  for (let times = 0; times < 12 && (times === 0 || (await seenTimes()).includes(0)); times += 1) await race();

  const count = async (sql: string): Promise<number> => {
    const { rows } = await fixture.database.raw<{ rows: { n: number }[] }>(
      `select count(*)::integer as n from (${sql}) wrong`,
    );
    return rows[0]?.n ?? -1;
  };
  const pass = () =>
    fixture
      .database('calls')
      .update({ not_before: fixture.database.fn.now(), lease_until: new Date(0), crash_count: 0 });
  await pass();
  while ((await writes.lapse(100)).length > 0);
  const ofCall = 'c.operation_id = r.operation_id and (c.members is null or r.record_index = any(c.members))';
  const wrong = async () => ({
    inOneCall: await count(`select 1 from records r where (select count(*) from calls c where ${ofCall}) + (
      select count(*) from record_outcomes e where e.operation_id = r.operation_id and e.record_index = r.record_index) <> 1`),
    living: await count(`select 1 from records r join calls c on ${ofCall} and c.state = 'done'`),
    unmarked: await count(`select 1 from records r join calls c on ${ofCall} and c.state = 'in_doubt'
      join attempts a on a.operation_id = c.operation_id and a.call_number = c.number and a.fence = c.fence and a.finished_at is null
        and r.record_index = any(a.record_indexes)
      where not r.is_unanswered or (r.send_state = 'none' or r.first_sent_at is null or r.fingerprint is null)`),
    callsOpen: await count(`select 1 from operations o where o.calls_open <> (
      select count(*) from calls c where c.operation_id = o.id and c.state <> 'done')`),
    miscounted: await count(`select 1 from operations o where o.records_succeeded <> (
      select count(*) from record_outcomes e where e.operation_id = o.id and e.outcome = 'succeeded')`),
    standing: await count(
      `select 1 from calls c where c.state <> 'running' and (c.sent_members is not null or c.sent_fingerprints is not null)`,
    ),
    stillMarked: await count(
      `select 1 from records r join record_outcomes e using (operation_id, record_index) where r.is_unanswered`,
    ),
    inQueue:
      await count(`select 1 from records r where (select count(*) from order_queue q where q.order_key = r.order_key
        and q.accept_seq = r.accept_seq and q.operation_id = r.operation_id and q.record_index = r.record_index)
      <> (r.order_key is not null and not exists (
        select 1 from record_outcomes e where e.operation_id = r.operation_id and e.record_index = r.record_index))::integer`),
  });
  const none = Object.fromEntries(Object.keys(await wrong()).map((name) => [name, 0]));
  expect(await wrong()).toEqual(none);
  expect(await seenTimes()).not.toContain(0);

  for (let idle = 0; idle < 3;) {
    await pass();
    await writes.lapse(100);
    await writes.repairOrder({ limit: 1_000 });
    const calls = await claim(false);
    for (const call of calls) await run(call, true);
    idle = calls.length === 0 ? idle + 1 : 0;
  }
  expect(await wrong()).toEqual(none);
  expect(await count(`select 1 from outcomes where outcome <> 'succeeded'`)).toBe(0);
  expect(await count('select 1 from order_queue')).toBe(0);
  const attempted = await fixture
    .database('attempts')
    .select(
      fixture.database.raw(
        `concat_ws('/', operation_id, call_number, fence, array_to_string(record_indexes, ',')) as key`,
      ),
    );
  expect(attempted.map(({ key }: { key: string }) => key).toSorted()).toEqual(intents.toSorted());
  const stored = await fixture
    .database('records')
    .select(fixture.database.raw(`operation_id || '/' || record_index as key`));
  expect(new Map(stored.map(({ key }: { key: string }) => [key, 1]))).toEqual(ends);
}, 300_000);
