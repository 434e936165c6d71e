import { hubspotRefusal, until } from '@sluice/testkit';
import { useGround, type Seed } from './_executor';

const ground = useGround();
let seed: Seed;
beforeEach(async () => {
  seed = await ground.seed();
  for (const id of ['1', '2', '3']) ground.hubspot.contacts.set(id, { id, createdAt: new Date(), properties: {} });
});

const update = (records: readonly { id: string; city: string }[]) => ground.accept(seed, records, { type: 'update' });
const sent = () =>
  ground.hubspot
    .writes()
    .flatMap(({ path, properties, inputs }) =>
      inputs.length > 0
        ? inputs.map((input) => `${input.id} ${String(input.properties?.['city'])}`)
        : [`${path.split('/').at(-1)} ${String(properties['city'])}`],
    );
const cityOf = (id: string) => ground.hubspot.contacts.get(id)?.properties['city'];
const sweepsOff = { SLUICE_SWEEPS: 'off' };

// A retried older value must not overwrite a newer one.
it('the second update of a record waits for the first one, which is retried; another record does not wait', async () => {
  await ground.startExecutor(sweepsOff);
  ground.hubspot.script.push(() => hubspotRefusal(503, {}, { 'Retry-After': '600' }));
  const first = await update([{ id: '1', city: 'first' }]);
  await until('the first try', () => (sent().length > 0 ? true : undefined));
  const second = await update([{ id: '1', city: 'second' }]);
  const other = await update([{ id: '2', city: 'other' }]);
  expect(await ground.ended(seed, other)).toMatchObject({ status: 'success' });
  // The ten minutes are over.
  await ground.database('calls').where({ operation_id: first }).update({ not_before: ground.database.fn.now() });
  await ground.announce(first);
  for (const id of [first, second]) expect(await ground.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(sent()).toEqual(['1 first', '2 other', '1 first', '1 second']);
  expect(cityOf('1')).toBe('second');
});

it('twenty updates of one record through two executors arrive in accept order', async () => {
  await ground.startExecutor();
  await ground.startExecutor();
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await update([{ id: '1', city: `c${n}` }]));
  for (const id of ids) await ground.ended(seed, id);
  expect(sent()).toEqual(ids.map((_, n) => `1 c${n}`));
});

// The provider may still commit the lost update for a while.
it('after an update of unknown outcome the next one waits out the late-commit window', async () => {
  ground.hubspot.script.push(() => 'hang-up');
  const first = await ground.accept(seed, [{ id: '1', city: 'lost' }], { type: 'update', announce: false });
  await ground.setDeadline(first, 200);
  const second = await ground.accept(seed, [{ id: '1', city: 'next' }], { type: 'update', announce: false });
  await ground.startExecutor();
  expect(await ground.ended(seed, first)).toMatchObject({
    status: 'failure',
    result: expect.stringMatching(/unknown/i),
  });
  expect(await ground.ended(seed, second)).toMatchObject({ status: 'success' });
  const [row] = await ground
    .database('attempts as a')
    .join('operations as o', 'o.id', ground.database.raw('?', [first]))
    .where('a.operation_id', second)
    .select<{ waited: number }[]>(
      ground.database.raw('extract(epoch from a.sent_at - o.updated_at)::float8 as waited'),
    );
  // 30 s at a time scale of 60.
  expect(row?.waited).toBeGreaterThanOrEqual(0.5);
});
