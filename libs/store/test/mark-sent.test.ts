import { type ClaimedCall, type RecordSettlement } from '@sluice/store';
import { markRestoredCreatesInDoubt } from '../src/writes/doubt-restored';
import { unfinished, useWriteFixture, written } from './write-fixture';

// An accepted record is not written by its seal and its intent. Once its call is no longer being sent and it has no outcome, it says itself that, and
// since when, it was sent: a lookup, a deadline and the next attempt rest on it. What is being sent stands in its call; an attempt is inserted once, when it is
// answered or when its call is taken from its sender.

const fixture = useWriteFixture();

const claimOne = () => fixture.claimOne({ leaseMs: 60_000 });
const sentAtOf = async (call: ClaimedCall): Promise<Date | undefined> => {
  const sent = fixture.database<{ sent_at: Date }>('sent_attempts').where('operation_id', call.operationId);
  return (await sent.orderBy('fence').first('sent_at'))?.sent_at;
};
const settle = (call: ClaimedCall, records: RecordSettlement[], state: 'ready' | 'in_doubt' = 'ready') =>
  fixture.settle(call, records, { next: { state, delayMs: 0 } });

it('its row is the one that was accepted, also when its call is settled', async () => {
  const rows = () =>
    fixture.database('records').orderBy('record_index').select(fixture.database.raw('xmin::text, ctid::text'));
  const joined = await fixture.store.writes.join([fixture.batchable({ maxDelayMs: 0 }), fixture.batchable()]);
  const accepted = await rows();
  expect(accepted).toHaveLength(2);
  const [first] = [...joined.values()] as { operationId: string }[];
  const operationId = first?.operationId ?? '';
  const { projectId, connectionId } = fixture.seeded;
  await fixture.store.writes.seal({ projectId, operationId }, (records) =>
    records.map(({ index }) => ({ number: index + 1, connectionId, recordIndexes: [index], planBytes: 1 })),
  );
  const [one, other] = await fixture.claim();
  if (!one || !other) throw new Error('two calls are ready');
  for (const call of [one, other]) expect(await fixture.send(call, call.number - 1)).toHaveProperty('size', 1);
  expect(await rows()).toEqual(accepted);
  await fixture.settleAll(one);
  expect(await rows()).toEqual(accepted);
});

it('a call that lapses leaves its records sent, and those that were not in the attempt unsent', async () => {
  await fixture.accept({ records: [{}, {}, {}] });
  const call = await claimOne();
  await fixture.send(call, 0, 2);
  expect(await fixture.lapse()).toMatchObject([{ state: 'in_doubt' }]);
  const firstSentAt = await sentAtOf(call);
  const [first, second, third] = await fixture.store.writes.loadPending(call);
  expect([first, third]).toMatchObject([
    { sendState: 'sent', firstSentAt, fingerprint: 'f0' },
    { sendState: 'sent', firstSentAt, fingerprint: 'f2' },
  ]);
  expect(second).toMatchObject({ sendState: 'none' });
  expect(second?.firstSentAt).toBeUndefined();
});

it('a record that is tried again keeps the moment of its first send', async () => {
  await fixture.accept({ records: [{}, {}] });
  const call = await claimOne();
  await fixture.send(call, 0, 1);
  const firstSentAt = await sentAtOf(call);
  await settle(call, [unfinished(0), unfinished(1)]);
  expect(await fixture.database('calls').select('owner', 'lease_until')).toEqual([{ owner: null, lease_until: null }]);
  const retried = await claimOne();
  const pendingAs = (sendState: string) => [0, 1].map(() => ({ sendState, firstSentAt }));
  expect(await fixture.store.writes.loadPending(retried)).toMatchObject(pendingAs('none'));
  await fixture.send(retried, 0, 1);
  await fixture.lapse();
  expect(await fixture.store.writes.loadPending(retried)).toMatchObject(pendingAs('sent'));
});

it('what is being sent is shown as sent, and is a rival of what is looked up', async () => {
  const writes = [fixture.asynchronous(), fixture.asynchronous()];
  await fixture.store.writes.accept(writes);
  const [mine, other] = (await fixture.claim({ leaseMs: 60_000 })) as [ClaimedCall, ClaimedCall];
  const plans = async () => (await fixture.store.writes.findRivals(mine)).plans.length;
  expect(await plans()).toBe(0);
  await fixture.send(other, 0);
  expect(await plans()).toBe(1);
  expect(await fixture.store.writes.measureRivals(mine)).toBeGreaterThan(0);
  const { projectId, operationId } = other;
  const explained = await fixture.store.operations.explain(projectId, operationId, { size: 10 });
  expect(explained?.records).toMatchObject([{ sendState: 'sent' }]);
  await settle(other, [unfinished(0, 'maybe')], 'in_doubt');
  expect(await plans()).toBe(1);
  await fixture.settleAll(await claimOne());
  expect(await plans()).toBe(0);
});

describe('an attempt', () => {
  const attempts = () =>
    fixture
      .database('attempts')
      .orderBy('fence')
      .select('fence', 'owner', 'record_indexes', 'finished_at', 'late_evidence');
  const unanswered = { owner: 'test', finished_at: null, late_evidence: null };
  const sentNow = () => fixture.database('calls').whereNotNull('sent_members').select('fence');
  const sendNew = async (...indexes: number[]): Promise<ClaimedCall> => {
    await fixture.accept({ records: indexes.map(() => ({})) });
    const call = await claimOne();
    expect(await fixture.send(call, ...indexes)).toHaveProperty('size', 1);
    return call;
  };

  // Its sender has died, or never learned that it was committed: nobody may send under it again.
  it('that is under way has no row yet, is shown, and is not begun a second time under its fence', async () => {
    const call = await sendNew(0, 1);
    expect(await attempts()).toEqual([]);
    const [shown] =
      (await fixture.store.operations.explain(call.projectId, call.operationId, { size: 10 }))?.calls ?? [];
    expect(shown?.attempts).toEqual([
      { number: 1, sentAt: (await sentAtOf(call))?.toISOString(), recordIndexes: [0, 1] },
    ]);
    const history = await fixture.store.operations.readHistory(call.projectId, call.operationId, { limit: 10 });
    expect(history.map(({ kind }) => kind)).toEqual(['accepted', 'sent']);
    expect(await fixture.store.operations.find(call.projectId, call.operationId)).toMatchObject({
      metadata: { retry: { attempts: 1, lastAttempt: (await sentAtOf(call))?.toISOString() } },
    });
    expect(await fixture.send(call, 0)).toHaveProperty('size', 0);
    await fixture.store.writes.release([{ ...call, delayMs: 0, isInDoubt: false }]);
    expect(await sentNow()).toHaveLength(1);
  });

  it('whose call lapses is stored without an answer, and its late reply with it', async () => {
    const call = await sendNew(0);
    await fixture.lapse();
    expect(await attempts()).toEqual([{ ...unanswered, fence: '1', record_indexes: [0] }]);
    expect(await sentNow()).toEqual([]);
    await fixture.settleAll({ ...call, fence: 1 });
    expect(await attempts()).toMatchObject([
      { late_evidence: expect.stringContaining('succeeded'), finished_at: expect.any(Date) },
    ]);
    const again = await claimOne();
    expect((await fixture.store.writes.readDoubt(again, 1_000)).evidence).toMatchObject([{ isNewest: true }]);
  });

  it('of a lookup is none: a lapse of it stores nothing, and counts as a crash of a lookup', async () => {
    await sendNew(0);
    await fixture.lapse();
    await claimOne();
    await fixture.lapse();
    expect(await attempts()).toHaveLength(1);
    const crashes = fixture.database.raw(`crash_count as all, look_crashes as lookups`);
    expect(await fixture.database('calls').first(crashes)).toEqual({ all: 2, lookups: 1 });
  });

  it('of a call that was claimed and not sent is none', async () => {
    await fixture.accept();
    await claimOne();
    expect(await fixture.lapse()).toMatchObject([{ state: 'ready' }]);
    expect(await attempts()).toEqual([]);
  });

  it('whose call is settled in part has its own records, and the next one the rest', async () => {
    const call = await sendNew(0, 1);
    await settle(call, [written(0, '1'), unfinished(1)]);
    const next = await claimOne();
    await fixture.send(next, 1);
    await fixture.settleAll(next);
    expect(await attempts()).toMatchObject([
      { fence: '1', record_indexes: [0, 1], finished_at: expect.any(Date) },
      { fence: '2', record_indexes: [1], finished_at: expect.any(Date) },
    ]);
    expect(await sentNow()).toEqual([]);
  });

  it('of a call that ends before its request leaves has no answer', async () => {
    const call = await sendNew(0);
    const error = { class: 'deadline', text: 'The deadline has passed.' } as const;
    const records: RecordSettlement[] = [{ index: 0, kind: 'failed', error }];
    await fixture.settle(call, records, { attempt: undefined });
    expect(await attempts()).toEqual([{ ...unanswered, fence: '1', record_indexes: [0] }]);
  });

  it('whose call goes back into doubt, because another reply names what it adopted, is stored without an answer', async () => {
    const adopter = await sendNew(0, 1);
    await settle(adopter, [{ index: 0, kind: 'succeeded', providerId: '77', isAdopted: true }, unfinished(1)]);
    const sending = await claimOne();
    await fixture.send(sending, 1);
    await fixture.accept();
    const owner = await claimOne();
    await fixture.send(owner, 0);
    await fixture.settle(owner, [written(0, '77')]);
    expect(await fixture.database('attempts').where({ operation_id: adopter.operationId, fence: 2 })).toMatchObject([
      { ...unanswered, record_indexes: [1] },
    ]);
    expect(await sentNow()).toEqual([]);
    const pending = await fixture.store.writes.loadPending(sending);
    expect(pending.map(({ index, sendState }) => [index, sendState])).toEqual([
      [0, 'maybe'],
      [1, 'sent'],
    ]);
    await fixture.settleAll(sending);
    expect(await fixture.database('attempts').where({ operation_id: adopter.operationId, fence: 2 })).toMatchObject([
      { late_evidence: expect.stringContaining('succeeded') },
    ]);
  });

  it('of a restored database is stored without an answer, beside that of the restore', async () => {
    const call = await sendNew(0);
    const restored = await markRestoredCreatesInDoubt(fixture.database, { limit: 10 }, () => 'equal');
    expect(restored.found).toHaveLength(1);
    expect(await attempts()).toEqual([
      { ...unanswered, fence: '1', record_indexes: [0] },
      { ...unanswered, fence: '2', record_indexes: [0], owner: 'restored' },
    ]);
    expect(await sentNow()).toEqual([]);
    const again = await claimOne();
    expect(again).toMatchObject({ operationId: call.operationId, isInDoubt: true });
  });
});
