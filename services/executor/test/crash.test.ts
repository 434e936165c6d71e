import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@sluice/testkit';
import type { ClaimedCall, ClaimRequest, WriteStore } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import { useFixture, type Seed } from './_executor';
import { hold } from './_hold';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
});

/** Claims as an executor that dies before it has sent, or between the intent and the settlement. */
async function crash(o: { isolated?: boolean; sends?: boolean } = {}): Promise<void> {
  const { writes } = fixture.store;
  const lanes = [{ projectId: seed.projectId, laneId: seed.laneId }];
  const claim = await writes.claim({
    owner: 'dead',
    lanes,
    limit: 10,
    perLane: 10,
    leaseMs,
    isolated: o.isolated ?? false,
  });
  const calls: readonly ClaimedCall[] = claim.calls;
  expect(calls).toHaveLength(1);
  if (o.sends === true) {
    const intents = calls.map((call) => ({ ...call, records: [{ index: 0 }] }));
    if ((await writes.recordIntents(intents)).size === 0) throw new Error('the intent was refused');
  }
  // The lease is over, however slowly the test came here.
  const over = fixture.database.raw(`now() - interval '1 second'`);
  await fixture.database('calls').where({ state: 'running' }).update({ lease_until: over });
  expect(await writes.lapse(100)).toHaveLength(1);
}
const unannounced = (email: string) => fixture.accept(seed, [{ email }], { announce: false });

/** The moment from which a call may be claimed: hours from now. */
const dueIn = async (id: string, hours: number): Promise<void> => {
  const moment = fixture.database.raw('now() + make_interval(hours => ?)', [hours]);
  await fixture.database('calls').where({ operation_id: id }).update({ not_before: moment });
};

describe('a call that crashed twice', () => {
  it('runs alone, and a success forgets its crashes', async () => {
    const suspect = await unannounced('suspect@x.com');
    await crash();
    await crash();
    // Nobody finds it before the bystander is under way.
    await dueIn(suspect, 1);
    const { held, letGo } = hold();
    fixture.hubspot.script.push(async (_call, apply) => {
      await held;
      return apply();
    });
    const { context } = await fixture.startExecutor({ SLUICE_SWEEPS: 'off', SLUICE_CALL_TIMEOUT_MS: '120000' });
    const isFound = watchIsolated(context.store.writes);
    const bystander = await fixture.accept(seed, [{ email: 'bystander@x.com' }]);
    await until('the bystander is sent', () => fixture.hubspot.calls[0]);
    await dueIn(suspect, 0);
    await fixture.announce(suspect);
    await until('the suspect is looked up', () => isFound() || undefined);
    // Long enough to send it, if that were allowed.
    await sleep(500);
    expect(await fixture.callStates(suspect)).toEqual(['ready']);
    letGo();
    for (const id of [bystander, suspect]) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
    const [row] = await fixture.database('calls').where({ operation_id: suspect }).select('crash_count');
    expect(row).toEqual({ crash_count: 0 });
  });

  it('waits for what a claim in hand brings: that would run beside it', async () => {
    const suspect = await unannounced('suspect@x.com');
    await crash();
    await crash();
    await dueIn(suspect, 1);
    const other = await fixture.seed({ accountRef: 'other' });
    const { context } = await fixture.startExecutor({ SLUICE_SWEEPS: 'off' });
    const { isFound, order } = delayClaims(context.store.writes, () => dueIn(suspect, 0));
    const bystander = await fixture.accept(other, [{ email: 'bystander@x.com' }]);
    await until('the suspect is looked up', () => isFound() || undefined);
    for (const [of, id] of [
      [other, bystander],
      [seed, suspect],
    ] as const)
      expect(await fixture.ended(of, id)).toMatchObject({ status: 'success' });
    expect(order).toEqual(['bystander', 'suspect']);
  });

  // What was in flight beside a poison call crashes with it, as often. A process runs 256 calls.
  it('is one of many: they run alone in sequence, and other work continues between them', async () => {
    const suspects = await Promise.all(Array.from({ length: 20 }, (_, n) => unannounced(`suspect${n}@x.com`)));
    await fixture.database('calls').update({ crash_count: 2 });
    fixture.hubspot.behave = async (_call, apply) => {
      await sleep(50);
      return apply();
    };
    const other = await fixture.seed({ accountRef: 'other' });
    await fixture.startExecutor();
    const bystander = await fixture.accept(other, [{ email: 'bystander@x.com' }]);
    expect(await fixture.ended(other, bystander)).toMatchObject({ status: 'success' });
    for (const id of suspects) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  });
});

/** The database answers a claim that found something only a while after the suspect, who comes forward then, was found. */
function delayClaims(
  writes: WriteStore,
  bringSuspect: () => Promise<void>,
): { isFound: () => boolean; order: string[] } {
  const claim = writes.claim.bind(writes);
  const order: string[] = [];
  const isFound = watchIsolated(writes);
  Object.assign(writes, {
    claim: async (request: ClaimRequest) => {
      if (request.isolated) order.push('suspect');
      const answer = await claim(request);
      if (request.isolated || answer.calls.length === 0) return answer;
      await bringSuspect();
      await until('the suspect is found', () => isFound() || undefined);
      await sleep(500);
      order.push('bystander');
      return answer;
    },
  });
  return { isFound, order };
}

/** @returns whether the sweep has found a call that must run alone */
function watchIsolated(writes: WriteStore): () => boolean {
  const findIsolated = writes.findIsolated.bind(writes);
  let isFound = false;
  Object.assign(writes, {
    findIsolated: async () => {
      const lane = await findIsolated();
      isFound ||= lane !== undefined;
      return lane;
    },
  });
  return () => isFound;
}

// ADR 23: a second crash alone leads to quarantine.
describe('a call that crashed four times', () => {
  // The fault matrix, F24: whoever reads the plan dies, so the plan is what may not be read again.
  it('never sent: fails without a call and without its plan being read, with a replay command', async () => {
    const id = await unannounced('a@x.com');
    await fixture.database('records').where({ operation_id: id }).update({ plan: 'no plan' });
    await crash();
    await crash();
    await crash({ isolated: true });
    await crash({ isolated: true });
    await fixture.startExecutor();
    expect(await fixture.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/quarantined after four crashes/i),
    });
    expect((await fixture.records(seed, id))[0]).toMatchObject({ status: 'failed', error: { class: 'quarantined' } });
    expect(await fixture.callStates(id)).toEqual(['quarantined']);
    const [row] = await fixture.database('quarantine').select('operation_id', 'replay_command');
    expect(row).toEqual({ operation_id: id, replay_command: expect.stringContaining(`${id}:replay`) });
    expect(fixture.hubspot.calls).toEqual([]);
  });

  it('sent: reports that the outcome is unknown', async () => {
    const id = await unannounced('a@x.com');
    await crash({ sends: true });
    await crash();
    await crash({ isolated: true });
    await crash({ isolated: true });
    await fixture.startExecutor();
    expect(await fixture.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/outcome unknown/i),
    });
    expect((await fixture.records(seed, id))[0]).toMatchObject({ status: 'unknown' });
  });
});
