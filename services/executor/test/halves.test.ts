import { hubspotRefusal } from '@sluice/testkit';
import type { WriteRecord } from '@sluice/types';
import { useFixture, type Seed } from './_executor';
import type { Answer, Behaviour, HubspotCall } from './_fake-hubspot';
import { hold } from './_hold';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
  fixture.hubspot.behave = refusingBad;
});

const sweepsOff = { SLUICE_SWEEPS: 'off' };
/** An hour lasts a minute, which a busy machine may need. */
const patient = { deadlineHours: 48 };
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

const creates = (count: number, bad: ReadonlySet<number>, from = 0): WriteRecord[] =>
  range(from, from + count).map((at) => ({ email: `${at}@x.com`, city: bad.has(at) ? 'bad' : 'Bern' }));
/** How often each record reached the provider in a call that was taken. */
function written(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const call of fixture.hubspot.writes().filter((each) => !isBad(each))) {
    const records = call.inputs.length > 0 ? call.inputs : [call];
    for (const { properties } of records) {
      const email = String(properties?.['email']);
      counts.set(email, (counts.get(email) ?? 0) + 1);
    }
  }
  return counts;
}

/** `count` positions of a hundred, the first and the last among them. */
const spread = (count: number) =>
  new Set(range(0, count).map((at) => (count === 1 ? 99 : Math.round((at * 99) / (count - 1)))));

// At most 2k * ceil(log2 100) + 1 calls for k bad of 100, and exactly the bad ones fail.
it.each([1, 3])(
  '%i bad of a hundred creates: the others are written once, and each call that left has its attempt',
  async (count) => {
    const bad = spread(count);
    await fixture.startExecutor(sweepsOff);
    const id = await fixture.accept(seed, creates(100, bad), patient);
    expect(await fixture.ended(seed, id, 120_000)).toMatchObject({ status: 'success' });
    const statuses = (await fixture.records(seed, id)).map(({ status }) => status);
    expect(statuses).toEqual(range(0, 100).map((at) => (bad.has(at) ? 'failed' : 'succeeded')));
    const good = range(0, 100).filter((at) => !bad.has(at));
    expect(written()).toEqual(new Map(good.map((at) => [`${at}@x.com`, 1])));
    const calls = fixture.hubspot.writes().length;
    expect(calls).toBeLessThanOrEqual(2 * count * Math.ceil(Math.log2(100)) + 1);
    expect(new Set(await fixture.callStates(id))).toEqual(new Set(['done']));
    const attempts = await fixture.database('attempts').where({ operation_id: id }).whereNotNull('finished_at');
    expect(attempts).toHaveLength(calls);
    expect(await fixture.database('attempts').whereNull('finished_at')).toEqual([]);
  },
);

/** Holds the reply to the first call until it is let go. */
function holdFirst(): { readonly arrived: Promise<void>; readonly letGo: () => void } {
  const arrival = hold();
  const reply = hold();
  fixture.hubspot.script.push(async (call, apply) => {
    arrival.letGo();
    await reply.held;
    return refusingBad(call, apply);
  });
  return { arrived: arrival.held, letGo: reply.letGo };
}

it('a cancel that comes before the refusal: no half is sent, and the records say so', async () => {
  const { arrived, letGo } = holdFirst();
  await fixture.startExecutor(sweepsOff);
  const id = await fixture.accept(seed, creates(8, new Set([1])));
  await arrived;
  expect(await fixture.store.operations.requestCancel(seed.projectId, id)).toBe('requested');
  letGo();
  await fixture.ended(seed, id);
  expect(fixture.hubspot.writes()).toHaveLength(1);
  const records = await fixture.records(seed, id);
  expect(records.map(({ status, error }) => [status, error?.class])).toEqual(
    range(0, 8).map(() => ['failed', 'cancelled']),
  );
});

describe('the deadline', () => {
  it('ends the dividing of a call that left before it: no half is sent, and each record says why', async () => {
    const { arrived, letGo } = holdFirst();
    await fixture.startExecutor(sweepsOff);
    const id = await fixture.accept(seed, creates(4, new Set([0])));
    await arrived;
    await fixture.setDeadline(id, -1_000);
    letGo();
    await fixture.ended(seed, id);
    expect(fixture.hubspot.writes()).toHaveLength(1);
    const text = 'The retry deadline has passed. Last: Refused together with others: one of them is bad';
    const ended = (await fixture.records(seed, id)).map(({ status, error }) => [status, error?.class, error?.message]);
    expect(ended).toEqual(range(0, 4).map(() => ['failed', 'deadline', text]));
  });

  // At least one try. Its call waited until its deadline had passed, so that try is divided to its end.
  it('leaves what was late already its one try', async () => {
    const id = await fixture.accept(seed, creates(4, new Set([0])));
    await fixture.setDeadline(id, -1_000);
    await fixture.startExecutor(sweepsOff);
    await fixture.announce(id);
    await fixture.ended(seed, id);
    const statuses = (await fixture.records(seed, id)).map(({ status }) => status);
    expect(statuses).toEqual(['failed', 'succeeded', 'succeeded', 'succeeded']);
  });
});

/** Known to the account: whatever is created beside it is refused as well, and the reply names the record that is there. */
const conflict = { category: 'CONFLICT', message: 'Contact already exists. Existing ID: 512' };

// An automatic batch is made of writes of several callers.
it.each([0, 2, 3])(
  'a contact that is there, as number %i of four: three are written, and it alone is in conflict',
  async (at) => {
    fixture.hubspot.behave = (call, apply) => unlimited(isBad(call) ? hubspotRefusal(409, conflict) : apply());
    await fixture.startExecutor(sweepsOff);
    const id = await fixture.accept(seed, creates(4, new Set([at])));
    await fixture.ended(seed, id);
    const outcomes = (await fixture.records(seed, id)).map(({ status, error }) => [
      status,
      error?.class,
      error?.message,
    ]);
    const own = ['failed', 'conflict', conflict.message];
    expect(outcomes).toEqual(range(0, 4).map((index) => (index === at ? own : ['succeeded', undefined, undefined])));
    expect(written().size).toBe(3);
    expect(fixture.hubspot.writes().length).toBeLessThanOrEqual(5);
  },
);

const sizesOf = (calls: readonly HubspotCall[]) => calls.map(({ inputs }) => Math.max(1, inputs.length));

it('a call that is too large is divided until it passes, and later ones begin with what passed', async () => {
  fixture.hubspot.behave = (call, apply) =>
    unlimited(call.inputs.length > 10 ? { status: 413, body: '<html>Too Large</html>' } : apply());
  const { context } = await fixture.startExecutor(sweepsOff);
  const takes = countTakes(context.quotas);
  const id = await fixture.accept(seed, creates(100, new Set()), patient);
  expect(await fixture.ended(seed, id, 120_000)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.contacts.size).toBe(100);
  const first = sizesOf(fixture.hubspot.writes());
  expect(first.filter((size) => size > 10).toSorted((a, b) => a - b)).toEqual([25, 25, 25, 25, 100]);
  expect(first).toHaveLength(21);
  expect(takes()).toBeGreaterThanOrEqual(21);

  const next = await fixture.accept(seed, creates(30, new Set(), 100), patient);
  expect(await fixture.ended(seed, next)).toMatchObject({ status: 'success' });
  expect(sizesOf(fixture.hubspot.writes()).slice(21)).toEqual([6, 6, 6, 6, 6]);
  const attempts = await fixture.database('attempts').where({ operation_id: next });
  expect(attempts).toHaveLength(5);
});

/** How often quota was taken. */
function countTakes(quotas: { take: (...args: never[]) => unknown }): () => number {
  let count = 0;
  const take = quotas.take.bind(quotas);
  quotas.take = (...args) => {
    count += 1;
    return take(...args);
  };
  return () => count;
}

// The parts are rows: what was written stays so, what had left is looked for, and the rest is sent.
it('a process that dies between the parts: nothing is lost, and nothing is written twice', async () => {
  const settled = hold();
  const failpoints = {
    hit: (name: string) => {
      if (name === 'ex.after_finish') settled.letGo();
      return Promise.resolve();
    },
  };
  const dying = await fixture.startExecutor({ ...sweepsOff, SLUICE_CONCURRENCY: '1' }, { failpoints });
  const { arrived, letGo } = holdFirst();
  const id = await fixture.accept(seed, creates(8, new Set([1])), patient);
  await arrived;
  letGo();
  await settled.held;
  await dying.stop();
  await dieWhileSending();
  const before = fixture.hubspot.writes().length;
  await fixture.startExecutor({ SLUICE_TIME_SCALE: '60' });
  await fixture.ended(seed, id, 120_000);
  const statuses = (await fixture.records(seed, id)).map(({ status }) => status);
  expect(statuses).toEqual(range(0, 8).map((index) => (index === 1 ? 'failed' : 'succeeded')));
  expect(written()).toEqual(new Map(range(0, 8).flatMap((index) => (index === 1 ? [] : [[`${index}@x.com`, 1]]))));
  expect(fixture.hubspot.writes().length).toBeGreaterThan(before);
});

/** Claims the next part, commits its intent, lets the provider have it, and is gone before the reply. */
async function dieWhileSending(): Promise<void> {
  const { writes } = fixture.store;
  const lanes = [{ projectId: seed.projectId, laneId: seed.laneId }];
  const claim = await writes.claim({ owner: 'dead', lanes, limit: 1, perLane: 1, leaseMs: 6_000, isolated: false });
  const [call] = claim.calls;
  if (call === undefined) throw new Error('no part was left');
  const pending = (await writes.loadManyPending([call]))[0] ?? [];
  await writes.recordIntents([{ ...call, records: pending.map(({ index }) => ({ index })) }]);
  const inputs = pending.map(({ plan, index }) => ({
    properties: (JSON.parse(plan) as { fields: Record<string, unknown> }).fields,
    objectWriteTraceId: String(index),
  }));
  await fetch(`${fixture.hubspot.url}/crm/v3/objects/contacts/batch/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer canary-token-9a0e' },
    body: JSON.stringify({ inputs }),
  });
  await fixture
    .database('calls')
    .where({ state: 'running' })
    .update({ lease_until: fixture.database.raw(`now() - interval '1 second'`) });
  expect(await writes.lapse(100)).toHaveLength(1);
}
