import { until } from '@sluice/testkit';
import type { ClaimedCall } from '@sluice/store';
import { createGround, type Ground, type Seed } from './_executor';
import { hold } from './_hold';

let ground: Ground;
let seed: Seed;
beforeEach(async () => {
  ground = await createGround();
  seed = await ground.seed();
});
afterEach(() => ground.close());

/** Claims as an executor that dies before it has sent, or between the intent and the settlement. */
async function crash(o: { isolated?: boolean; sends?: boolean } = {}): Promise<void> {
  const { writes } = ground.store;
  const lanes = [{ projectId: seed.projectId, laneId: seed.laneId }];
  const claim = await writes.claim({
    owner: 'dead',
    lanes,
    limit: 10,
    perLane: 10,
    leaseMs: 100,
    isolated: o.isolated ?? false,
  });
  const calls: readonly ClaimedCall[] = claim.calls;
  expect(calls).toHaveLength(1);
  if (o.sends === true) {
    await writes.recordIntents(calls.map((call) => ({ ...call, owner: 'dead', records: [{ index: 0 }] })));
  }
  await until('the lease lapses', async () => ((await writes.lapse()).length > 0 ? true : undefined));
}
const unannounced = (email: string) => ground.accept(seed, [{ email }], { announce: false });

it('died before it sent: another executor sends, once', async () => {
  const id = await unannounced('a@x.com');
  await crash();
  await ground.startExecutor();
  expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(ground.hubspot.calls).toHaveLength(1);
});

it('died after the provider wrote: adopted without a second send', async () => {
  const id = await unannounced('a@x.com');
  await crash({ sends: true });
  ground.hubspot.contacts.set('55', { id: '55', createdAt: new Date(), properties: { email: 'a@x.com' } });
  await ground.startExecutor();
  expect(await ground.ended(seed, id)).toMatchObject({ status: 'success', metadata: { successfulRecordIds: ['55'] } });
  expect(ground.hubspot.writes()).toEqual([]);
});

describe('a call that crashed twice', () => {
  it('runs alone, and a success forgets its crashes', async () => {
    const suspect = await unannounced('suspect@x.com');
    await crash();
    await crash();
    const { held, letGo } = hold();
    ground.hubspot.script.push(async (_call, apply) => {
      await held;
      return apply();
    });
    await ground.startExecutor({ SLUICE_CALL_TIMEOUT_MS: '20000', SLUICE_SWEEPS: 'off' });
    const bystander = await ground.accept(seed, [{ email: 'bystander@x.com' }]);
    await until('the bystander is sent', () => ground.hubspot.calls[0]);
    await ground.announce(suspect);
    const next = await ground.accept(seed, [{ email: 'next@x.com' }]);
    await ground.ended(seed, next);
    expect(await ground.callStates(suspect)).toEqual(['ready']);
    letGo();
    for (const id of [bystander, suspect]) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
    const [row] = await ground.database('calls').where({ operation_id: suspect }).select('crash_count');
    expect(row).toEqual({ crash_count: 0 });
  }, 15_000);
});

// Design, section 5.11: a third crash, alone, leads to quarantine.
describe('a call that crashed three times', () => {
  it('never sent: fails without a call, with a replay command', async () => {
    const id = await unannounced('a@x.com');
    await crash();
    await crash();
    await crash({ isolated: true });
    await ground.startExecutor();
    expect(await ground.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/quarantined after three crashes/i),
    });
    expect((await ground.records(seed, id))[0]).toMatchObject({ status: 'failed', error: { class: 'quarantined' } });
    expect(await ground.callStates(id)).toEqual(['quarantined']);
    const [row] = await ground.database('quarantine').select('operation_id', 'replay_command');
    expect(row).toEqual({ operation_id: id, replay_command: expect.stringContaining(`${id}:replay`) });
    expect(ground.hubspot.calls).toEqual([]);
  });

  it('sent: says that the outcome is unknown', async () => {
    const id = await unannounced('a@x.com');
    await crash({ sends: true });
    await crash();
    await crash({ isolated: true });
    await ground.startExecutor();
    expect(await ground.ended(seed, id)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/outcome unknown/i),
    });
    expect((await ground.records(seed, id))[0]).toMatchObject({ status: 'unknown' });
  });
});
