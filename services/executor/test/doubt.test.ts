import { createGround, type Ground, type Seed } from './_executor';
import type { Behaviour } from './_fake-hubspot';

let ground: Ground;
let seed: Seed;
beforeEach(async () => {
  ground = await createGround();
  seed = await ground.seed();
  await ground.startExecutor();
});
afterEach(() => ground.close());

const commitThenHangUp: Behaviour = (_call, apply) => {
  apply();
  return 'hang-up';
};
const hangUp: Behaviour = () => 'hang-up';
/** Lease, call timeout and the provider's scaled window: before this nothing is "not created". */
const windowMs = 6_500;
const outcomes = async (operationId: string) => (await ground.records(seed, operationId)).map(({ status, recordId }) => [status, recordId]);

describe('a create with a unique key', () => {
  it('written, and the reply lost: looked for and adopted, not sent twice', async () => {
    ground.hubspot.script.push(commitThenHangUp);
    const id = await ground.accept(seed, [{ email: 'a@x.com' }]);
    expect(await ground.ended(seed, id)).toMatchObject({ status: 'success', metadata: { successfulRecordIds: ['1000'] } });
    expect(ground.hubspot.writes()).toHaveLength(1);
    expect(ground.hubspot.contacts.size).toBe(1);
  }, 15_000);

  it('written, and no reply within the call timeout: the same', async () => {
    ground.hubspot.script.push((_call, apply) => {
      apply();
      return 'never';
    });
    const id = await ground.accept(seed, [{ email: 'a@x.com' }]);
    expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
    expect(ground.hubspot.writes()).toHaveLength(1);
  }, 15_000);

  it('not written: sent again, but only after the window', async () => {
    ground.hubspot.script.push(hangUp);
    const id = await ground.accept(seed, [{ email: 'a@x.com' }]);
    expect(await ground.ended(seed, id, 20_000)).toMatchObject({ status: 'success' });
    const [first = 0, second = 0, ...more] = ground.hubspot.writes().map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(windowMs);
    expect(more).toEqual([]);
    expect(ground.hubspot.contacts.size).toBe(1);
  }, 30_000);

  it('a batch of which a part was written: that part is adopted, the rest sent again', async () => {
    ground.hubspot.script.push((call, apply) => {
      Object.assign(call, { inputs: call.inputs.slice(0, 2) });
      apply();
      return 'hang-up';
    });
    const id = await ground.accept(seed, ['a', 'b', 'c'].map((name) => ({ email: `${name}@x.com` })));
    expect(await ground.ended(seed, id, 20_000)).toMatchObject({ status: 'success', result: expect.stringContaining('(3 succeeded') });
    expect(await outcomes(id)).toEqual([
      ['succeeded', '1000'],
      ['succeeded', '1001'],
      ['succeeded', '1002'],
    ]);
    expect(ground.hubspot.writes().at(-1)).toMatchObject({ path: '/crm/v3/objects/contacts', properties: { email: 'c@x.com' } });
  }, 30_000);

  // The record with this email is older than our first send, or carries other values: it is somebody else's.
  it("somebody else's record with that key is not adopted; the resend meets the provider's conflict", async () => {
    ground.hubspot.contacts.set('7', { id: '7', createdAt: new Date(Date.now() - 3_600_000), properties: { email: 'a@x.com' } });
    ground.hubspot.script.push(hangUp);
    const id = await ground.accept(seed, [{ email: 'a@x.com' }]);
    expect(await ground.ended(seed, id, 25_000)).toMatchObject({ status: 'failure', result: expect.stringContaining('already exists') });
    expect(await outcomes(id)).toEqual([['failed', undefined]]);
  }, 40_000);
});

describe('a create without a unique key', () => {
  it('written, and the reply lost: found by search and adopted', async () => {
    ground.hubspot.script.push(commitThenHangUp);
    const id = await ground.accept(seed, [{ firstname: 'Zoë', lastname: 'Ångström' }]);
    expect(await ground.ended(seed, id, 15_000)).toMatchObject({ status: 'success', metadata: { successfulRecordIds: ['1000'] } });
    expect(ground.hubspot.writes()).toHaveLength(1);
  }, 20_000);

  it('not found: never sent again, ends as outcome unknown', async () => {
    ground.hubspot.script.push(hangUp);
    const id = await ground.accept(seed, [{ firstname: 'Zoë' }]);
    expect(await ground.ended(seed, id, 20_000)).toMatchObject({ status: 'failure', result: expect.stringMatching(/outcome unknown/i) });
    expect(await outcomes(id)).toEqual([['unknown', undefined]]);
    expect(ground.hubspot.writes()).toHaveLength(1);
  }, 30_000);

  // Design, section 5.12: equal creates in doubt are resolved one to one; a provider record belongs to one of them.
  it('two equal ones in doubt and one record: exactly one adopts it', async () => {
    ground.hubspot.script.push(commitThenHangUp, hangUp);
    const ids = [await ground.accept(seed, [{ firstname: 'Zoë' }]), await ground.accept(seed, [{ firstname: 'Zoë' }])];
    const ended = [];
    for (const id of ids) ended.push((await ground.ended(seed, id, 25_000)).status);
    expect(ended.sort()).toEqual(['failure', 'success']);
    expect((await Promise.all(ids.map(outcomes))).flat().map(([status]) => status).sort()).toEqual(['succeeded', 'unknown']);
    expect(ground.hubspot.writes()).toHaveLength(2);
  }, 40_000);
});

it('an update of unknown outcome is sent again: its values are absolute', async () => {
  ground.hubspot.contacts.set('7', { id: '7', createdAt: new Date(), properties: {} });
  ground.hubspot.script.push(commitThenHangUp);
  const id = await ground.accept(seed, [{ id: '7', city: 'Bern' }], { type: 'update' });
  expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(ground.hubspot.writes()).toHaveLength(2);
  expect(ground.hubspot.contacts.get('7')?.properties).toEqual({ city: 'Bern' });
}, 15_000);
