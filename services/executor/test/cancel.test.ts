import { hubspotRefusal, until } from '@sluice/testkit';
import { doubting, useFixture, type Seed } from './_executor';
import { hold } from './_hold';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
  for (const id of ['1', '2', '3']) fixture.hubspot.contacts.set(id, { id, createdAt: new Date(), properties: {} });
});

/** Sweeps are off in most tests: a cancel does not depend on them. */
const sweepsOff = { SLUICE_SWEEPS: 'off' };
const cancel = (operationId: string) => fixture.store.operations.requestCancel(seed.projectId, operationId);
const sent = () => fixture.hubspot.writes().length;
const update = (id: string, city: string) => fixture.accept(seed, [{ id, city }], { type: 'update' });
const stateOf = async (id: string, state: string) =>
  (await fixture.callStates(id)).includes(state) ? true : undefined;
const isTried = async () => {
  const rows = (await fixture.database('attempts').whereNotNull('finished_at')) as object[];
  return rows.length > 0 ? true : undefined;
};
const cancelled = { status: 'failed', error: { class: 'cancelled' } };

it('100 calls cancelled in the middle: each record succeeded or is cancelled, and nothing leaves that was not running', async () => {
  const { held, letGo } = hold();
  // What comes after the thirtieth is under way while the cancel comes.
  fixture.hubspot.behave = async (_call, apply) => {
    if (sent() > 30) await held;
    return apply();
  };
  await fixture.startExecutor();
  await fixture.startExecutor();
  const records = Array.from({ length: 100 }, (_, n) => ({ email: `${n}@x.com` }));
  const id = await fixture.accept(seed, records, { recordsPerCall: 1 });
  await until('the middle', () => (sent() > 30 ? true : undefined));
  expect(await cancel(id)).toBe('requested');
  const running = (await fixture.callStates(id)).filter((state) => state === 'running').length;
  const sentBefore = sent();
  letGo();
  const operation = await fixture.ended(seed, id);
  const outcomes = await fixture.records(seed, id);
  const succeeded = outcomes.filter(({ status }) => status === 'succeeded');
  expect(sent() - sentBefore).toBeLessThanOrEqual(running);
  expect(outcomes.filter(({ error }) => error?.class === 'cancelled')).toHaveLength(100 - succeeded.length);
  expect(succeeded.length).toBeGreaterThanOrEqual(25);
  expect(succeeded.length).toBeLessThan(100);
  expect(fixture.hubspot.contacts.size - 3).toBe(succeeded.length);
  expect(operation).toMatchObject({
    status: 'success',
    result: expect.stringMatching(/The operation was cancelled\.$/),
  });
  expect(new Set(await fixture.callStates(id))).toEqual(new Set(['done']));
  expect(await cancel(id)).toBe('requested');
});

// What it waits for would be there in ten minutes, or when the test ends the wait.
describe('what waits ends at once', () => {
  it('for its retry', async () => {
    fixture.hubspot.behave = () => hubspotRefusal(503, { message: 'Down.' }, { 'Retry-After': '600' });
    await fixture.startExecutor(sweepsOff);
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('a try', isTried);
    await cancel(id);
    expect(await fixture.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: 'The operation was cancelled. Last: Down.',
    });
    expect(await fixture.records(seed, id)).toMatchObject([cancelled]);
    expect(sent()).toBe(1);
  });

  it('behind a write to the same record; what waits behind it continues in its order', async () => {
    await fixture.startExecutor(sweepsOff);
    const { held, letGo } = hold();
    fixture.hubspot.script.push(async (_call, apply) => {
      await held;
      return apply();
    });
    const first = await update('1', 'first');
    await until('the first call', () => (sent() > 0 ? true : undefined));
    const second = await update('1', 'second');
    const third = await update('1', 'third');
    await until(
      'the others to wait',
      async () => (await stateOf(second, 'waiting')) && (await stateOf(third, 'waiting')),
    );
    await cancel(second);
    expect(await fixture.ended(seed, second)).toMatchObject({ status: 'failure' });
    expect(await fixture.callStates(third)).toEqual(['waiting']);
    letGo();
    expect(await fixture.ended(seed, first)).toMatchObject({ status: 'success' });
    expect(await fixture.ended(seed, third)).toMatchObject({ status: 'success' });
    expect(fixture.hubspot.contacts.get('1')?.properties).toMatchObject({ city: 'third' });
    expect(sent()).toBe(2);
  });
});

describe('what is being sent', () => {
  it('is not tried again when it fails', async () => {
    await fixture.startExecutor(sweepsOff);
    const { held, letGo } = hold();
    fixture.hubspot.script.push(async () => {
      await held;
      return hubspotRefusal(503, { message: 'Down.' });
    });
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until('the call', () => (sent() > 0 ? true : undefined));
    await cancel(id);
    letGo();
    expect(await fixture.ended(seed, id)).toMatchObject({ result: 'The operation was cancelled. Last: Down.' });
    expect(sent()).toBe(1);
  });

  // A create whose reply was lost is neither sent again nor called failed before it was looked for.
  it('and lost its reply is looked up first', async () => {
    fixture.hubspot.script.push((_call, apply) => {
      apply();
      return 'hang-up';
    });
    await fixture.startExecutor(doubting);
    const id = await fixture.accept(seed, [{ email: 'doubt@x.com' }]);
    await until('the doubt', () => stateOf(id, 'in_doubt'));
    await cancel(id);
    expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
    expect(sent()).toBe(1);
  });
});

// The last moment at which a call can be held back: after this commit bytes may leave.
it('a call that was claimed before the cancel and not sent gets no intent', async () => {
  const id = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
  const { projectId, laneId } = seed;
  const request = { owner: 'test', limit: 1, perLane: 1, leaseMs: 60_000, isolated: false };
  const claim = await fixture.store.writes.claim({ ...request, lanes: [{ projectId, laneId }] });
  const [call] = claim.calls;
  if (call === undefined) throw new Error('nothing was claimed');
  await cancel(id);
  expect(await fixture.store.writes.recordIntents([{ ...call, records: [{ index: 0 }] }])).toEqual(new Set());
  await fixture.store.writes.release([{ ...call, delayMs: 0, isInDoubt: false }]);
  await fixture.startExecutor(sweepsOff);
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'failure', result: 'The operation was cancelled.' });
  expect(sent()).toBe(0);
});
