import type { ClaimedCall, RecordSettlement, Settlement, Split } from '@sluice/store';
import { hubspotRefusal, until } from '@sluice/testkit';
import type { WriteRecord } from '@sluice/types';
import { createGround, type Ground, type RunningExecutor, type Seed } from './_executor';
import type { Answer, Behaviour, HubspotCall } from './_fake-hubspot';
import { hold } from './_hold';

let ground: Ground;
let seed: Seed;
const running: RunningExecutor[] = [];
beforeAll(async () => {
  ground = await createGround();
});
beforeEach(async () => {
  seed = await ground.seed();
  ground.hubspot.behave = refusingBad;
  ground.hubspot.calls.length = 0;
  ground.hubspot.contacts.clear();
});
afterEach(async () => {
  for (const executor of running.splice(0)) await executor.stop();
});
afterAll(() => ground.close());

const start = async (env: Record<string, string> = {}): Promise<void> => {
  running.push(await ground.startExecutor(env));
};
const sweepsOff = { SLUICE_SWEEPS: 'off' };
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const isBad = (call: HubspotCall) =>
  [call.properties, ...call.inputs.map(({ properties }) => properties)].some((each) => each?.['city'] === 'bad');

/** Refuses whole what has a bad record in it, as HubSpot does for a nested value; an account with a limit that no test meets. */
const refusingBad: Behaviour = (call, apply) =>
  unlimited(
    isBad(call) ? hubspotRefusal(400, { category: 'VALIDATION_ERROR', message: 'one of them is bad' }) : apply(),
  );

function unlimited(answer: Answer): Answer {
  if (typeof answer === 'string') return answer;
  const headers = { 'X-HubSpot-RateLimit-Max': '100000', 'X-HubSpot-RateLimit-Interval-Milliseconds': '10000' };
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

const creates = (count: number, bad: ReadonlySet<number>): WriteRecord[] =>
  range(0, count).map((at) => ({ email: `${at}@x.com`, city: bad.has(at) ? 'bad' : 'Bern' }));
const updates = (count: number, bad: ReadonlySet<number>): WriteRecord[] =>
  range(0, count).map((at) => ({ id: `${at}`, city: bad.has(at) ? 'bad' : 'Bern' }));
const addContacts = (count: number): void => {
  for (const id of range(0, count).map(String)) {
    ground.hubspot.contacts.set(id, { id, createdAt: new Date(), properties: {} });
  }
};
/** How often each record reached the provider in a call that was taken. */
function written(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const call of ground.hubspot.writes().filter((each) => !isBad(each))) {
    const ids = call.inputs.map(({ id, properties }) => id ?? String(properties?.['email']));
    const single = call.method === 'PATCH' ? call.path.split('/').at(-1) : call.properties['email'];
    for (const id of ids.length > 0 ? ids : [String(single)]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

async function expectIsolated(id: string, count: number, bad: ReadonlySet<number>, nameOf: (at: number) => string) {
  const operation = await ground.ended(seed, id, 120_000);
  const statuses = (await ground.records(seed, id)).map(({ status }) => status);
  expect(statuses).toEqual(range(0, count).map((at) => (bad.has(at) ? 'failed' : 'succeeded')));
  expect(operation.status).toBe(bad.size === count ? 'failure' : 'success');
  const good = range(0, count).filter((at) => !bad.has(at));
  expect(written()).toEqual(new Map(good.map((at) => [nameOf(at), 1])));
  expect(ground.hubspot.writes().length).toBeLessThanOrEqual(2 * bad.size * Math.ceil(Math.log2(count)) + 1);
  expect(new Set(await ground.callStates(id))).toEqual(new Set(['done']));
  // Each half reports its outcome: an attempt for each call that left.
  const attempts = await ground.database('attempts').where({ operation_id: id }).select('status', 'finished_at');
  expect(attempts).toHaveLength(ground.hubspot.writes().length);
  expect(attempts.every((attempt: { finished_at: unknown }) => attempt.finished_at !== null)).toBe(true);
}

/** `count` positions of a hundred, the first and the last among them. */
const spread = (count: number) =>
  new Set(range(0, count).map((at) => (count === 1 ? 99 : Math.round((at * 99) / (count - 1)))));

// At most 2k * ceil(log2 100) + 1 calls for k bad of 100, and exactly the bad ones fail.
describe('bad records in a batch of a hundred', () => {
  it.each([0, 1, 2, 3, 7, 50, 100])(
    '%i: creates',
    async (count) => {
      const bad = spread(count);
      await start(sweepsOff);
      const id = await ground.accept(seed, creates(100, bad));
      await expectIsolated(id, 100, bad, (at) => `${at}@x.com`);
    },
    400_000,
  );

  it('3: updates', async () => {
    addContacts(100);
    const bad = spread(3);
    await start(sweepsOff);
    const id = await ground.accept(seed, updates(100, bad), { type: 'update' });
    await expectIsolated(id, 100, bad, String);
  }, 400_000);
});

it('fields that the reply names cost one further call, and no wait', async () => {
  ground.hubspot.behave = (call, apply) => {
    const isNamed = call.inputs.some(({ properties }) => 'nosuch' in (properties ?? {}));
    const errors = [{ code: 'PROPERTY_DOESNT_EXIST', message: 'no such', context: { propertyName: ['nosuch'] } }];
    return isNamed ? hubspotRefusal(400, { category: 'VALIDATION_ERROR', errors }) : apply();
  };
  await start(sweepsOff);
  const records = range(0, 20).map((at) => ({ email: `${at}@x.com`, ...(at % 2 === 0 ? {} : { nosuch: 'x' }) }));
  const id = await ground.accept(seed, records);
  await ground.ended(seed, id);
  expect(ground.hubspot.writes().map(({ inputs }) => inputs.length)).toEqual([20, 10]);
  const statuses = (await ground.records(seed, id)).map(({ status }) => status);
  expect(statuses).toEqual(range(0, 20).map((at) => (at % 2 === 0 ? 'succeeded' : 'failed')));
});

it('a batch that is all or none stays whole', async () => {
  const id = await ground.accept(seed, creates(8, new Set([3])), { announce: false });
  await ground.database('calls').where({ operation_id: id }).update({ all_or_none: true });
  await start();
  expect(await ground.ended(seed, id)).toMatchObject({ status: 'failure' });
  expect(ground.hubspot.writes()).toHaveLength(1);
  expect(await ground.callStates(id)).toEqual(['done']);
});

/** Claims, sends and settles as an executor would that dies later; its leases are over at once. */
const dead = {
  claim: async (limit: number): Promise<ClaimedCall[]> => {
    const lanes = [{ projectId: seed.projectId, laneId: seed.laneId }];
    const request = { owner: 'dead', lanes, limit, perLane: 4, leaseMs: 60_000, isolated: false };
    const { calls } = await ground.store.writes.claim(request);
    return calls.toSorted((a, b) => a.number - b.number);
  },
  intend: async (call: ClaimedCall): Promise<number[]> => {
    const indexes = (await ground.store.writes.loadPending(call)).map(({ index }) => index);
    const records = indexes.map((index) => ({ index }));
    const { revisionId } = seed;
    const sent = await ground.store.writes.recordIntents([{ ...call, revisionId, records }]);
    expect(sent.size).toBe(1);
    return indexes;
  },
  settle: async (call: ClaimedCall, records: readonly RecordSettlement[], next: Settlement['next']): Promise<void> => {
    const settlement = { ...call, isCreate: call.type === 'create', records, next, orderKeys: [] };
    await ground.store.writes.settle([{ ...settlement, attempt: { durationMs: 1 } }]);
  },
  split: async (call: ClaimedCall, parts: Split['parts']): Promise<void> => {
    await dead.intend(call);
    const records = parts
      .flat()
      .map((index) => ({ index, kind: 'again', sendState: 'none', isUntried: true }) as const);
    await dead.settle(call, records, { state: 'split', parts });
  },
  die: async (): Promise<void> => {
    const over = ground.database.raw(`now() - interval '1 second'`);
    await ground.database('calls').where({ state: 'running' }).update({ lease_until: over });
  },
};

const pending = async (id: string) =>
  ground
    .database('calls')
    .where({ operation_id: id })
    .whereNot({ state: 'done' })
    .pluck<number[][]>('members')
    .then((members) => members.flat().toSorted((a, b) => a - b));

// Each half is a call row, so it survives a crash.
describe('an executor that dies between the halves', () => {
  it.each(['create', 'update'] as const)('%s: only what is not finished is resumed, nothing twice', async (type) => {
    addContacts(8);
    const records = type === 'create' ? creates(8, new Set([6])) : updates(8, new Set([6]));
    const id = await ground.accept(seed, records, { type, announce: false });
    const [whole] = await dead.claim(1);
    if (!whole) throw new Error('nothing was claimed');
    await dead.split(whole, [range(0, 4), range(4, 8)]);
    const [first] = await dead.claim(1);
    if (!first) throw new Error('nothing was claimed');
    const indexes = await dead.intend(first);
    const done = indexes.map((index) => ({ index, kind: 'succeeded', providerId: `done-${index}` }) as const);
    await dead.settle(first, done, { state: 'done' });
    const left = await pending(id);
    expect(left).toHaveLength(4);
    const [second] = await dead.claim(1);
    expect(second).toBeDefined();
    await dead.die();
    await start();
    await ground.ended(seed, id);
    const statuses = (await ground.records(seed, id)).map(({ status }) => status);
    expect(statuses).toEqual(range(0, 8).map((at) => (at === 6 ? 'failed' : 'succeeded')));
    const name = (at: number) => (type === 'create' ? `${at}@x.com` : `${at}`);
    expect(written()).toEqual(new Map(left.filter((at) => at !== 6).map((at) => [name(at), 1])));
  });

  // The half may have been written: a create is looked for and never sent again while it may be there.
  it('in the middle of a half: its creates are looked for, the other half is sent', async () => {
    const id = await ground.accept(seed, creates(4, new Set()), { announce: false });
    const [whole] = await dead.claim(1);
    if (!whole) throw new Error('nothing was claimed');
    await dead.split(whole, [range(0, 2), range(2, 4)]);
    const [half] = await dead.claim(1);
    if (!half) throw new Error('nothing was claimed');
    const sent = await dead.intend(half);
    for (const at of sent) {
      const properties = { email: `${at}@x.com`, city: 'Bern' };
      ground.hubspot.contacts.set(`p${at}`, { id: `p${at}`, createdAt: new Date(), properties });
    }
    await dead.die();
    await start();
    expect(await ground.ended(seed, id)).toMatchObject({
      status: 'success',
      result: 'Batch write completed (4 succeeded, 0 failed)',
    });
    const others = range(0, 4).filter((at) => !sent.includes(at));
    expect(written()).toEqual(new Map(others.map((at) => [`${at}@x.com`, 1])));
    expect(ground.hubspot.contacts.size).toBe(4);
  });
});

/** Holds the reply to the first call until it is let go. */
function holdFirst(): { readonly arrived: Promise<void>; readonly letGo: () => void } {
  const arrival = hold();
  const reply = hold();
  ground.hubspot.script.push(async (call, apply) => {
    arrival.letGo();
    await reply.held;
    return refusingBad(call, apply);
  });
  return { arrived: arrival.held, letGo: reply.letGo };
}

it('a cancel that comes before the refusal: no half is sent, and the records say so', async () => {
  const { arrived, letGo } = holdFirst();
  await start(sweepsOff);
  const id = await ground.accept(seed, creates(8, new Set([1])));
  await arrived;
  expect(await ground.store.operations.requestCancel(seed.projectId, id)).toBe('requested');
  letGo();
  await ground.ended(seed, id);
  expect(ground.hubspot.writes()).toHaveLength(1);
  const records = await ground.records(seed, id);
  expect(records.map(({ status, error }) => [status, error?.class])).toEqual(
    range(0, 8).map(() => ['failed', 'cancelled']),
  );
});

// At least one try. What was refused with others was not tried itself.
it('a deadline that passes before the refusal: the halves still have their one try', async () => {
  const { arrived, letGo } = holdFirst();
  await start(sweepsOff);
  const id = await ground.accept(seed, creates(4, new Set([0])));
  await arrived;
  await ground.setDeadline(id, -1_000);
  letGo();
  await ground.ended(seed, id);
  expect((await ground.records(seed, id)).map(({ status }) => status)).toEqual([
    'failed',
    'succeeded',
    'succeeded',
    'succeeded',
  ]);
});

// Order per record, whichever call a record is in.
it('a later update of a record goes after its half', async () => {
  addContacts(4);
  const { arrived, letGo } = holdFirst();
  await start(sweepsOff);
  const batch = await ground.accept(seed, updates(4, new Set([3])), { type: 'update' });
  await arrived;
  const later = await ground.accept(seed, [{ id: '2', city: 'later' }], { type: 'update' });
  await until('the later one waits', async () =>
    (await ground.callStates(later))[0] === 'waiting' ? true : undefined,
  );
  letGo();
  for (const id of [batch, later]) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  const cities = ground.hubspot
    .writes()
    .filter((call) => !isBad(call))
    .flatMap((call) => [
      call.properties['city'],
      ...call.inputs.filter(({ id }) => id === '2').map(({ properties }) => properties?.['city']),
    ])
    .filter((city) => city !== undefined);
  expect(cities.at(-1)).toBe('later');
  expect(ground.hubspot.contacts.get('2')?.properties['city']).toBe('later');
});

// Nobody waits for a synchronous write any more, so what its gateway did not send is never sent.
describe('a gateway that dies between the halves of a synchronous write', () => {
  it.each(['create', 'update'] as const)('%s: the halves end as they stand, and nothing is sent', async (type) => {
    addContacts(4);
    const records = type === 'create' ? creates(4, new Set()) : updates(4, new Set());
    const id = await openedSynchronously(records, type);
    const [first, second] = await partsOf(id, [range(0, 2), range(2, 4)]);
    if (!first || !second) throw new Error('the halves were not opened');
    await dead.intend(first);
    const done = [0, 1].map((index) => ({ index, kind: 'succeeded', providerId: `p${index}` }) as const);
    await dead.settle(first, done, { state: 'done' });
    await dead.die();
    await start();
    expect(await ground.ended(seed, id)).toMatchObject({
      status: 'success',
      result: expect.stringContaining('(2 succeeded, 2 failed)'),
    });
    const statuses = (await ground.records(seed, id)).map(({ status }) => status);
    expect(statuses).toEqual(['succeeded', 'succeeded', 'failed', 'failed']);
    expect(ground.hubspot.writes()).toEqual([]);
  });

  /** Accepted as an asynchronous one, so that its plans are real; opened and held as a gateway would. */
  async function openedSynchronously(records: readonly WriteRecord[], type: 'create' | 'update'): Promise<string> {
    const id = await ground.accept(seed, records, { type, announce: false });
    await ground.database('operations').where({ id }).update({ mode: 'synchronous' });
    const held = { mode: 'synchronous', state: 'running', fence: 1, owner: 'dead', attempts: 0 };
    const until60 = ground.database.raw(`now() + interval '60 seconds'`);
    await ground
      .database('calls')
      .where({ operation_id: id })
      .update({ ...held, lease_until: until60 });
    return id;
  }

  async function partsOf(operationId: string, parts: Split['parts']): Promise<ClaimedCall[]> {
    const [row] = await ground.database('calls').where({ operation_id: operationId });
    const call: ClaimedCall = {
      projectId: seed.projectId,
      operationId,
      number: 1,
      laneId: seed.laneId,
      connectionId: seed.connectionId,
      objectName: 'contacts',
      type: (row as { type: 'create' }).type,
      mode: 'synchronous',
      allOrNone: false,
      fence: 1,
      attempts: 0,
      crashCount: 0,
      isInDoubt: false,
      traceparent: '',
    };
    await dead.intend(call);
    const records = parts
      .flat()
      .map((index) => ({ index, kind: 'again', sendState: 'none', isUntried: true }) as const);
    const lease = { owner: 'dead', leaseMs: 60_000 };
    await dead.settle(call, records, { state: 'split', parts, lease });
    return parts.map((_, at) => ({ ...call, number: 2 + at }));
  }
});
