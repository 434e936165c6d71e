import { hubspotRefusal } from '@sluice/testkit';
import type { WriteRecord } from '@sluice/types';
import { useGround, type Seed } from './_executor';
import type { Answer, Behaviour, HubspotCall } from './_fake-hubspot';
import { hold } from './_hold';

const ground = useGround();
let seed: Seed;
beforeEach(async () => {
  seed = await ground.seed();
  ground.hubspot.behave = refusingBad;
});

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
/** How often each record reached the provider in a call that was taken. */
function written(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const call of ground.hubspot.writes().filter((each) => !isBad(each))) {
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
    await ground.startExecutor(sweepsOff);
    const id = await ground.accept(seed, creates(100, bad));
    expect(await ground.ended(seed, id, 120_000)).toMatchObject({ status: 'success' });
    const statuses = (await ground.records(seed, id)).map(({ status }) => status);
    expect(statuses).toEqual(range(0, 100).map((at) => (bad.has(at) ? 'failed' : 'succeeded')));
    const good = range(0, 100).filter((at) => !bad.has(at));
    expect(written()).toEqual(new Map(good.map((at) => [`${at}@x.com`, 1])));
    const calls = ground.hubspot.writes().length;
    expect(calls).toBeLessThanOrEqual(2 * count * Math.ceil(Math.log2(100)) + 1);
    expect(new Set(await ground.callStates(id))).toEqual(new Set(['done']));
    const attempts = await ground.database('attempts').where({ operation_id: id }).whereNotNull('finished_at');
    expect(attempts).toHaveLength(calls);
    expect(await ground.database('attempts').whereNull('finished_at')).toEqual([]);
  },
);

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
  await ground.startExecutor(sweepsOff);
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
  await ground.startExecutor(sweepsOff);
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
