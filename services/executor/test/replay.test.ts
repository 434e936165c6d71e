import { hubspotRefusal, restateOutcomes } from '@sluice/testkit';
import { newId, type Replaying } from '@sluice/store';
import { useFixture, type Seed } from './_executor';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
  await fixture.startExecutor();
});

const sentEmails = () => fixture.hubspot.writes().map(({ properties }) => String(properties['email']));
const replay = (
  operationId: string,
  more: { force?: boolean; isWritable?: boolean; mayReplayQuarantined?: boolean } = {},
): Promise<Replaying> =>
  fixture.store.writes.replay({
    projectId: seed.projectId,
    operationId,
    newId: newId(),
    force: false,
    isWritable: true,
    mayReplayQuarantined: true,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ...more,
  });
const opened = async (replaying: Promise<Replaying>): Promise<string> => {
  const answer = await replaying;
  if ('refusal' in answer) throw new Error(answer.refusal);
  return answer.operationId;
};
/** Creates, one call each; those whose email begins with "bad" are refused by HubSpot. */
const accept = async (emails: readonly string[]): Promise<string> => {
  const id = await fixture.accept(
    seed,
    emails.map((email) => ({ email })),
    { recordsPerCall: 1 },
  );
  await fixture.ended(seed, id);
  return id;
};
const refuseBad = () =>
  (fixture.hubspot.behave = ({ properties }, apply) =>
    String(properties['email']).startsWith('bad') ? hubspotRefusal(400, { message: 'Not now.' }) : apply());

it('ten replays at the same time: one operation, and each failed record is sent once', async () => {
  refuseBad();
  const id = await accept(['bad1@x.com', 'good@x.com', 'bad2@x.com', 'bad3@x.com']);
  const before = sentEmails().length;
  fixture.hubspot.behave = (_call, apply) => apply();
  const answers = await Promise.all(Array.from({ length: 10 }, () => replay(id)));
  const ids = new Set(answers.map((answer) => ('refusal' in answer ? answer.refusal : answer.operationId)));
  expect(ids.size).toBe(1);
  expect(answers.filter((answer) => 'isNew' in answer && answer.isNew)).toHaveLength(1);
  const [again = ''] = ids;
  expect(await fixture.ended(seed, again)).toMatchObject({
    status: 'success',
    installationId: seed.installationId,
    configId: seed.configId,
    result: 'Batch write completed (3 succeeded, 0 failed)',
  });
  expect(sentEmails().slice(before).toSorted()).toEqual(['bad1@x.com', 'bad2@x.com', 'bad3@x.com']);
  const records = await fixture.records(seed, id);
  expect(records.map(({ replayedBy }) => replayedBy)).toEqual([again, undefined, again, again]);
  // Also after its end the answer is the same operation, and nothing is sent.
  expect(await replay(id)).toEqual({ operationId: again, isNew: false });
  expect(await fixture.operation(seed, id)).toMatchObject({
    status: 'success',
    result: expect.stringContaining('3 failed'),
  });
});

// A call that an earlier version made of 95 MB must not come back as one.
it('what shared a call shares one again, as far as its bytes allow', async () => {
  fixture.hubspot.behave = () => hubspotRefusal(400, { message: 'Not now.' });
  const id = await fixture.accept(
    seed,
    Array.from({ length: 10 }, (_, at) => ({ email: `${at}@x.com` })),
  );
  await fixture.ended(seed, id);
  const { database } = fixture;
  const records = database('records').where({ operation_id: id });
  await records.update({ plan: database.raw(`plan || repeat(' ', 950000 - octet_length(plan))`) });
  await database('calls').where({ operation_id: id }).where('number', '>', 1).delete();
  await database('outcomes')
    .where({ operation_id: id })
    .update({ fence: database.ref('call_number'), call_number: 1 });
  fixture.hubspot.behave = (_call, apply) => apply();
  const again = await opened(replay(id));
  await fixture.ended(seed, again);
  const ended = database('outcomes').where({ operation_id: again }).orderBy('call_number');
  expect(await ended.pluck<number[][]>('record_indexes')).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
  expect(await fixture.operation(seed, again)).toMatchObject({ status: 'success' });
});

it('a record that executors died of is not replayed by whoever may not', async () => {
  refuseBad();
  const id = await accept(['bad@x.com']);
  await restateOutcomes(fixture.database, id, { outcome: 'failed', errorClass: 'quarantined' });
  expect(await replay(id, { mayReplayQuarantined: false })).toEqual({ refusal: 'quarantined' });
  fixture.hubspot.behave = (_call, apply) => apply();
  expect(await fixture.ended(seed, await opened(replay(id)))).toMatchObject({ status: 'success' });
});

it('a replay that fails is replayed itself, and keeps the refs', async () => {
  refuseBad();
  const id = await accept(['good@x.com', 'bad@x.com']);
  await fixture.database('records').where({ operation_id: id, record_index: 1 }).update({ ref: 'row-17' });
  const second = await opened(replay(id));
  expect(await fixture.ended(seed, second)).toMatchObject({ status: 'failure', result: 'Not now.' });
  expect(await fixture.records(seed, second)).toMatchObject([{ index: 0, ref: 'row-17', status: 'failed' }]);
  expect(await opened(replay(id))).toBe(second);
  fixture.hubspot.behave = (_call, apply) => apply();
  expect(await fixture.ended(seed, await opened(replay(second)))).toMatchObject({ status: 'success' });
});

it('records of unknown outcome are replayed with force only', async () => {
  refuseBad();
  const id = await accept(['bad@x.com', 'maybe@x.com']);
  await restateOutcomes(fixture.database, id, { outcome: 'failed' }, { outcome: 'unknown' });
  fixture.hubspot.behave = (_call, apply) => apply();
  const plain = await opened(replay(id));
  expect(await fixture.ended(seed, plain)).toMatchObject({ status: 'success' });
  expect(sentEmails().filter((email) => email === 'maybe@x.com')).toHaveLength(1);
  const forced = await opened(replay(id, { force: true }));
  expect(forced).not.toBe(plain);
  await fixture.ended(seed, forced);
  expect(sentEmails().filter((email) => email === 'maybe@x.com')).toHaveLength(2);
  expect(await opened(replay(id, { force: true }))).toBe(forced);
  expect(await opened(replay(id))).toBe(plain);
});

it('a cancelled operation is replayed, in the calls it had, with a new deadline', async () => {
  const id = await fixture.accept(seed, [{ email: 'a@x.com' }, { email: 'b@x.com' }], {
    announce: false,
    deadlineHours: 2,
  });
  await fixture.store.operations.requestCancel(seed.projectId, id);
  await fixture.ended(seed, id);
  const again = await opened(replay(id));
  expect(await fixture.ended(seed, again)).toMatchObject({ status: 'success' });
  expect(fixture.hubspot.writes()).toHaveLength(1);
  const [row] = await fixture
    .database('calls as c')
    .join('operations as o', 'o.id', 'c.operation_id')
    .where('o.id', again)
    .select<{ hours: number }[]>(
      fixture.database.raw('extract(epoch from c.deadline - o.created_at)::float8 / 3600 as hours'),
    );
  expect(row?.hours).toBeCloseTo(2, 3);
});

describe('is refused', () => {
  it('while the operation is in progress, and when nothing failed', async () => {
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    expect(await replay(id)).toEqual({ refusal: 'in-progress' });
    await fixture.ended(seed, id);
    expect(await replay(id)).toEqual({ refusal: 'nothing-to-replay' });
    expect(await replay(newId())).toEqual({ refusal: 'missing' });
  });

  it('once the plans are deleted, and writes nothing', async () => {
    refuseBad();
    const id = await accept(['bad1@x.com', 'bad2@x.com']);
    await fixture.database('records').where({ operation_id: id, record_index: 0 }).update({ plan: null });
    expect(await replay(id)).toEqual({ refusal: 'plan-deleted' });
    expect((await fixture.records(seed, id)).every(({ replayedBy }) => replayedBy === undefined)).toBe(true);
    expect(await fixture.database('operations')).toHaveLength(1);
  });

  it.each(['not-writable', 'uninstalled', 'moved'] as const)('%s', async (reason) => {
    refuseBad();
    const id = await accept(['bad@x.com']);
    if (reason === 'uninstalled') await fixture.store.installations.remove(seed);
    if (reason === 'moved') await fixture.database('connections').update({ lane_id: 'another' });
    expect(await replay(id, { isWritable: reason !== 'not-writable' })).toEqual({ refusal: reason });
  });
});
