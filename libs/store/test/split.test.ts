import { callId, type ClaimedCall, type Settlement, type SettlingAnswer, type Split } from '@sluice/store';
import { until } from '@sluice/testkit';
import { unfinished, useWriteFixture, written } from './write-fixture';

const fixture = useWriteFixture();

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const operationOf = (id: string) => fixture.store.operations.find(fixture.seeded.projectId, id);
const indexesOf = async (call: ClaimedCall) => (await fixture.store.writes.loadPending(call)).map(({ index }) => index);
const partsOf = (answer: SettlingAnswer | undefined) =>
  (answer !== undefined && 'parts' in answer && answer.parts) || [];
const callsOf = async (operationId: string) =>
  (await fixture.database('calls').where({ operation_id: operationId }).orderBy('number')) as Record<string, unknown>[];

/** Records the intent to send the call, with everything it has. */
async function send(call: ClaimedCall): Promise<void> {
  const records = (await indexesOf(call)).map((index) => ({ index }));
  const { revisionId } = fixture.seeded;
  expect(await fixture.store.writes.recordIntents([{ ...call, revisionId, records }])).toEqual(new Set([callId(call)]));
}

/** What a sender settles whose call was refused whole. */
function refused(call: ClaimedCall, parts: Split['parts'], o: Pick<Split, 'lease'> = {}): Settlement {
  const error = { class: 'rejected', text: 'one of them is bad' } as const;
  return {
    ...call,
    isCreate: call.type === 'create',
    attempt: { durationMs: 1, status: 400, error },
    records: parts.flat().map((index) => ({ index, kind: 'again', sendState: 'none', error, isUntried: true })),
    next: { state: 'split', parts, ...o },
    orderKeys: [],
  };
}

/** In the order of their numbers: the parts of one call have one moment. */
const claimAll = async () => (await fixture.claim()).toSorted((a, b) => a.number - b.number);

const claimOne = () => fixture.claimOne({ limit: 1 });

async function accepted(count: number, type: 'create' | 'update' = 'create'): Promise<string> {
  const records = range(0, count).map((at) => (type === 'create' ? {} : { recordId: `${at}` }));
  const write = await fixture.accept({ type, records });
  return write.operation.id;
}

// Each half is a call row, so it survives a crash.
it('opens a call for each part, ready at once, and the operation ends with the last of them', async () => {
  const id = await accepted(5);
  const call = await claimOne();
  await send(call);
  const { answers } = await fixture.store.writes.settle([refused(call, [range(0, 3), range(3, 5)])]);
  const { projectId } = fixture.seeded;
  expect(answers.get(callId(call))).toMatchObject({
    isHeld: true,
    parts: [2, 3].map((number) => ({ projectId, operationId: id, number })),
  });
  expect(await callsOf(id)).toMatchObject([
    { number: 1, state: 'done', attempts: 1 },
    { number: 2, state: 'ready', attempts: 0, crash_count: 0, sent_at: null, fence: '0', lease_until: null },
    { number: 3, state: 'ready', attempts: 0, crash_count: 0, sent_at: null, fence: '0', lease_until: null },
  ]);
  const [first, second] = await claimAll();
  if (!first || !second) throw new Error('the parts are not ready');
  expect([await indexesOf(first), await indexesOf(second)]).toEqual([range(0, 3), range(3, 5)]);
  await fixture.settleAll(first);
  expect(await operationOf(id)).toMatchObject({ status: 'in_progress' });
  await fixture.settleAll(second);
  expect(await operationOf(id)).toMatchObject({
    status: 'success',
    result: 'Batch write completed (5 succeeded, 0 failed)',
  });
});

it('a record that was refused with others was not tried: its first send is still to come', async () => {
  const id = await accepted(2);
  const call = await claimOne();
  await send(call);
  await fixture.store.writes.settle([refused(call, [[0], [1]])]);
  const rows = await fixture.database('records').where({ operation_id: id }).select('first_sent_at', 'send_state');
  expect(rows).toEqual([0, 1].map(() => ({ first_sent_at: null, send_state: 'none' })));
});

it('ends the records that no part has, in the same transaction', async () => {
  const id = await accepted(3);
  const call = await claimOne();
  await send(call);
  const split = refused(call, [[0, 2]]);
  const bad = { index: 1, kind: 'failed', error: { class: 'rejected', text: 'bad' } } as const;
  await fixture.store.writes.settle([{ ...split, records: [...split.records, bad] }]);
  await fixture.settleAll(await claimOne());
  expect((await operationOf(id))?.result).toBe(
    'Batch write completed (2 succeeded, 1 failed). First error, record 1: bad',
  );
});

it('numbers the parts of calls of one operation that are settled together', async () => {
  const id = await accepted(8);
  const call = await claimOne();
  await fixture.store.writes.settle([refused(call, [range(0, 4), range(4, 8)])]);
  const halves = await claimAll();
  const quarters = [
    [range(0, 2), range(2, 4)],
    [range(4, 6), range(6, 8)],
  ] as const;
  const { answers } = await fixture.store.writes.settle(halves.map((half, at) => refused(half, quarters[at] ?? [])));
  expect([...answers.values()].flatMap(partsOf).map(({ number }) => number)).toEqual([4, 5, 6, 7]);
  const last = await claimAll();
  expect(await Promise.all(last.map(indexesOf))).toEqual([range(0, 2), range(2, 4), range(4, 6), range(6, 8)]);
  for (const each of last) await fixture.settleAll(each);
  expect(await operationOf(id)).toMatchObject({ status: 'success' });
});

it('the parts keep the position of their call: they go before what was accepted after it', async () => {
  const id = await accepted(2);
  const call = await claimOne();
  await accepted(1);
  await fixture.store.writes.settle([refused(call, [[0], [1]])]);
  expect((await fixture.claim({ limit: 2 })).map(({ operationId }) => operationId)).toEqual([id, id]);
});

// The later write waits for the record, whichever call it is in by now.
it('a later update of a record goes after the part that has it', async () => {
  await accepted(4, 'update');
  const call = await claimOne();
  await send(call);
  const later = await fixture.accept({ type: 'update', records: [{ recordId: '2' }] });
  expect(await claimAll()).toEqual([]);
  await fixture.store.writes.settle([refused(call, [range(0, 2), range(2, 4)])]);
  const [first, second, ...more] = await claimAll();
  expect(more).toEqual([]);
  if (!first || !second) throw new Error('the parts are not ready');
  await fixture.settleAll(first);
  expect(await claimAll()).toEqual([]);
  await fixture.settleAll(second);
  expect((await claimAll()).map(({ operationId }) => operationId)).toEqual([later.operation.id]);
});

it('without the fence nothing is divided: the refusal is kept as evidence', async () => {
  const id = await accepted(2);
  const call = await fixture.claimOne();
  await send(call);
  await fixture.lapse();
  const next = await claimOne();
  const { answers } = await fixture.store.writes.settle([refused(call, [[0], [1]])]);
  expect(answers.get(callId(call))).toMatchObject({ isHeld: false });
  expect(await callsOf(id)).toHaveLength(1);
  const doubt = await fixture.store.writes.readDoubt(next, 1_000);
  expect(doubt.evidence.map(({ settlement }) => settlement)).toMatchObject([
    { index: 0, kind: 'again', sendState: 'none' },
    { index: 1, kind: 'again', sendState: 'none' },
  ]);
});

// An earlier attempt of the whole call, given up and looked for in vain, turns out to have been written: no part may be sent.
it('a late success puts the parts that have its records now into doubt, and is found as their evidence', async () => {
  await accepted(4);
  const paused = await fixture.claimOne();
  await send(paused);
  await fixture.lapse();
  const inDoubt = await claimOne();
  const none = range(0, 4).map((index) => unfinished(index));
  await fixture.settle(inDoubt, none, { next: { state: 'ready', delayMs: 0 } });
  const retried = await claimOne();
  await send(retried);
  await fixture.store.writes.settle([refused(retried, [range(0, 2), range(2, 4)])]);
  const all = range(0, 4).map((index) => written(index, `p${index}`));
  await fixture.settle(paused, all);
  const parts = await claimAll();
  expect(parts.map(({ isInDoubt }) => isInDoubt)).toEqual([true, true]);
  for (const [at, part] of parts.entries()) {
    const { evidence } = await fixture.store.writes.readDoubt(part, 1_000);
    const own = await indexesOf(part);
    expect(own).toEqual(at === 0 ? range(0, 2) : range(2, 4));
    for (const index of own) expect(evidence.map(({ settlement }) => settlement)).toContainEqual(all[index]);
  }
});

it('of a deleted installation nothing continues', async () => {
  const id = await accepted(2);
  const call = await claimOne();
  await send(call);
  await fixture.database('installations').where({ id: fixture.seeded.installationId }).delete();
  const { answers } = await fixture.store.writes.settle([refused(call, [[0], [1]])]);
  expect(answers.get(callId(call))).toMatchObject({ next: { state: 'done' }, ended: { status: 'failure' } });
  expect(answers.get(callId(call))).not.toHaveProperty('parts');
  expect(await callsOf(id)).toMatchObject([{ state: 'done' }]);
});

describe('under a lease', () => {
  const lease = { owner: 'gateway', leaseMs: 6_000 };

  async function openedFirst(): Promise<ClaimedCall> {
    const write = fixture.asynchronous({ type: 'update', records: [{ recordId: '1' }, { recordId: '2' }] });
    const operation = { ...write.operation, mode: 'synchronous' as const };
    const opening = await fixture.store.writes.openSynchronous({ ...write, operation, ...lease });
    expect(opening.kind).toBe('opened');
    return {
      ...operation,
      operationId: operation.id,
      number: 1,
      connectionId: operation.pins.connectionId,
      fence: 1,
      attempts: 0,
      crashCount: 0,
      isInDoubt: false,
    };
  }

  async function openedParts() {
    const first = await openedFirst();
    const { answers } = await fixture.store.writes.settle([refused(first, [[0], [1]], { lease })]);
    const parts = partsOf(answers.get(callId(first)));
    return { id: first.operationId, parts: parts.map(({ number }) => ({ ...first, number })) };
  }

  it('the parts run at once: their records stay busy, and each is sent with an intent of its own', async () => {
    const { id, parts } = await openedParts();
    expect(await callsOf(id)).toMatchObject([
      { state: 'done' },
      { state: 'running', owner: 'gateway', fence: '1', sent_at: null },
      { state: 'running', owner: 'gateway', fence: '1', sent_at: null },
    ]);
    const other = fixture.asynchronous({ type: 'update', records: [{ recordId: '2' }] });
    expect(await fixture.store.writes.openSynchronous({ ...other, ...lease })).toEqual({ kind: 'busy' });
    for (const part of parts) await send(part);
    for (const part of parts) await fixture.settleAll(part);
    expect(await operationOf(id)).toMatchObject({ status: 'success' });
  });

  // Else parts that nobody has taken could not be renewed, and would not be sent.
  it('the lease of a part begins when it is opened, however long its settlement waited', async () => {
    const first = await openedFirst();
    const holder = await fixture.database.transaction();
    await holder('operations').where({ id: first.operationId }).forUpdate().select('id');
    const settling = fixture.store.writes.settle([refused(first, [[0], [1]], { lease })]);
    await until('the settlement waits', async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await holder.raw<{ rows: object[] }>(waiting)).rows[0];
    });
    const { rows } = await holder.raw<{ rows: [{ at: string }] }>('select clock_timestamp()::text as at');
    await holder.commit();
    await settling;
    const early = fixture.database.raw(`?::timestamptz + interval '6 seconds'`, [rows[0].at]);
    const parts = fixture.database('calls').where({ operation_id: first.operationId, state: 'running' });
    expect(await parts.clone()).toHaveLength(2);
    expect(await parts.where('lease_until', '<', early)).toEqual([]);
  });

  // Nobody waits for a synchronous write any more: a part that was not sent must never become ready.
  it('a part that lapses is in doubt, sent or not', async () => {
    const { id, parts } = await openedParts();
    if (parts[0]) await send(parts[0]);
    await fixture.lapse();
    expect((await callsOf(id)).map(({ state }) => state)).toEqual(['done', 'in_doubt', 'in_doubt']);
  });
});

/** Numbers from 0 up to 1 that are the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

it('divided at random until nothing is left, every record ends once and the counts are right', async () => {
  for (const seed of [1, 2, 3]) {
    const random = seeded(seed);
    const id = await accepted(40);
    const ended: number[] = [];
    for (let calls = await claimAll(); calls.length > 0; calls = await claimAll()) {
      const settlements: Settlement[] = [];
      for (const call of calls) {
        await send(call);
        const indexes = await indexesOf(call);
        const cut = Math.floor(random() * (indexes.length + 1));
        if (cut > 0 && cut < indexes.length)
          settlements.push(refused(call, [indexes.slice(0, cut), indexes.slice(cut)]));
        else {
          ended.push(...indexes);
          const records = indexes.map((index) => written(index, `${id}/${index}`));
          const attempt = { durationMs: 1, status: 201 };
          settlements.push({ ...call, isCreate: true, attempt, records, next: { state: 'done' }, orderKeys: [] });
        }
      }
      await fixture.store.writes.settle(settlements);
    }
    expect(ended.toSorted((a, b) => a - b)).toEqual(range(0, 40));
    const [operation] = await fixture
      .database('operations')
      .where({ id })
      .select('calls_open', 'records_succeeded', 'state');
    expect(operation).toEqual({ calls_open: 0, records_succeeded: 40, state: 'succeeded' });
  }
});
