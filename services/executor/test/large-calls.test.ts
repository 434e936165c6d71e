import { HeldBytes } from '@sluice/telemetry';
import { until } from '@sluice/testkit';
import { planBudgetBytes } from '../src/context';
import { useFixture, type Seed } from './_executor';
import type { Answer } from './_fake-hubspot';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
});

/** One call of 19 MB, as a version made it that did not limit bytes. */
async function acceptLarge(): Promise<string> {
  const id = await fixture.accept(
    seed,
    Array.from({ length: 20 }, (_, at) => ({ email: `${at}@x.com` })),
    { announce: false },
  );
  const { database } = fixture;
  const plan = database.raw(`plan || repeat(' ', 950000 - octet_length(plan))`);
  await database('records').where({ operation_id: id }).update({ plan });
  return id;
}

const callsOf = (id: string) =>
  fixture.database('calls').where({ operation_id: id }).orderBy('number').select('number', 'state');

// Loaded whole such a call ended the executor, and every project's calls with it.
it('a call of more bytes than an executor loads continues as calls of usual size, each record sent once', async () => {
  const id = await acceptLarge();
  await fixture.startExecutor();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(await callsOf(id)).toEqual([1, 2, 3, 4, 5, 6].map((number) => ({ number, state: 'done' })));
  const sent = fixture.hubspot.writes().map(({ inputs }) => inputs.length);
  expect(sent).toEqual([4, 4, 4, 4, 4]);
  const emails = fixture.hubspot
    .writes()
    .flatMap(({ inputs }) => inputs.map(({ properties }) => properties?.['email']));
  expect(new Set(emails).size).toBe(20);
});

it('one that was sent and is in doubt is not loaded and not sent again: its outcome is unknown', async () => {
  const id = await acceptLarge();
  const { database } = fixture;
  await database('calls').where({ operation_id: id }).update({ state: 'in_doubt', attempts: 1 });
  await database('records')
    .where({ operation_id: id })
    .update({ is_unanswered: true, send_state: 'sent', first_sent_at: database.fn.now() });
  await fixture.startExecutor();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'failure' });
  expect(fixture.hubspot.calls).toEqual([]);
  const records = await fixture.records(seed, id);
  expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['unknown']));
  expect(await callsOf(id)).toEqual([{ number: 1, state: 'quarantined' }]);
});

it('one that is all or none is taken out whole, because it cannot be divided', async () => {
  const id = await acceptLarge();
  await fixture.database('calls').where({ operation_id: id }).update({ all_or_none: true });
  await fixture.startExecutor();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'failure' });
  expect(fixture.hubspot.calls).toEqual([]);
  expect((await fixture.records(seed, id))[0]).toMatchObject({ status: 'failed' });
});

/** What a record says that was sent and has no outcome. */
const sentTo = ({ laneId }: Seed) => ({ is_unanswered: true, lane_id: laneId, object_name: 'contacts' });

/** Twenty creates of 0.95 MB of the same account, sent and not settled, that are not looked up yet. */
async function doubtLarge(): Promise<void> {
  const id = await acceptLarge();
  const { database } = fixture;
  const later = database.raw(`now() + interval '1 hour'`);
  await database('calls').where({ operation_id: id }).update({ state: 'in_doubt', attempts: 1, not_before: later });
  const firstSentAt = database.fn.now();
  await database('records')
    .where({ operation_id: id })
    .update({ ...sentTo(seed), send_state: 'maybe', first_sent_at: firstSentAt, fingerprint: 'large' });
}

// A lookup compares what it finds with what other creates sent: of 400 large ones that was 380 MB for each lookup.
it('the plans that a lookup compares with are few megabytes, and wait for memory as those of a send', async () => {
  await doubtLarge();
  const { context } = await fixture.startExecutor();
  const { plans, store } = context;
  const others = new HeldBytes('others');
  fixture.hubspot.script.push(async (_call, apply): Promise<Answer> => {
    await plans.take(planBudgetBytes - 1_000_000, performance.now(), others);
    apply();
    return 'hang-up';
  });
  const id = await fixture.accept(seed, [{ email: 'lost@x.com' }]);
  const call = () => fixture.database('calls').where({ operation_id: id }).first('fence', 'state');
  await until('it was given back and claimed again', async () =>
    Number((await call())?.fence) > 2 ? true : undefined,
  );
  expect(fixture.hubspot.calls).toHaveLength(1);
  others.end();
  expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.writes()).toHaveLength(1);
  const rivals = await store.writes.findRivals({
    ...seed,
    operationId: id,
    number: 1,
    objectName: 'contacts',
  } as never);
  expect(rivals.plans.map((plan) => plan.length)).toEqual(Array(6).fill(950_000));
  expect(rivals.isWhole).toBe(false);
});

/** A create of another call that made the record of a whole person, lost its reply and is not looked for yet. */
async function makeAna(planBytes: number): Promise<void> {
  const { database, hubspot } = fixture;
  const properties = { firstname: 'Ana', city: 'Oslo' };
  const id = await fixture.accept(seed, [properties], { announce: false });
  await database('calls')
    .where({ operation_id: id })
    .update({ state: 'in_doubt', attempts: 1, not_before: database.raw(`now() + interval '1 hour'`) });
  await database('records')
    .where({ operation_id: id })
    .update({
      ...sentTo(seed),
      send_state: 'maybe',
      // Older than what is recorded as sent now.
      first_sent_at: database.raw(`now() - interval '2 seconds'`),
      fingerprint: 'whole',
      plan: database.raw(`plan || repeat(' ', greatest(0, ${planBytes} - octet_length(plan)))`),
    });
  hubspot.contacts.set('whole', { id: 'whole', createdAt: new Date(), properties });
}

// Creates of one account: the record of one must not be adopted by another, which would then be reported as written and is not.
it.each([
  ['small beside large ones, it is compared with', 0],
  ['too large to compare with, what is found may be its own', 1_000_000],
])('a create that made what is found and is %s: it is not given to another', async (_, planBytes) => {
  await makeAna(planBytes);
  await doubtLarge();
  await fixture.startExecutor({ SLUICE_CALL_TIMEOUT_MS: '1500' });
  fixture.hubspot.script.push(() => 'hang-up');
  const id = await fixture.accept(seed, [{ firstname: 'Ana' }]);
  expect(await fixture.ended(seed, id)).toMatchObject({
    status: 'failure',
    result: expect.stringContaining('Outcome unknown'),
  });
  expect((await fixture.records(seed, id))[0]).toMatchObject({ status: 'unknown' });
  expect(fixture.hubspot.writes()).toHaveLength(1);
});
