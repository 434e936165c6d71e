import { hubspotRefusal, until } from '@sluice/testkit';
import { newId } from '@sluice/store';
import { useFixture, type Seed } from './_executor';
import { hold } from './_hold';

const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
  for (const id of ['1', '2', '3']) fixture.hubspot.contacts.set(id, { id, createdAt: new Date(), properties: {} });
});

const update = (records: readonly { id: string; city: string }[]) => fixture.accept(seed, records, { type: 'update' });
const sent = () =>
  fixture.hubspot
    .writes()
    .flatMap(({ path, properties, inputs }) =>
      inputs.length > 0
        ? inputs.map((input) => `${input.id} ${String(input.properties?.['city'])}`)
        : [`${path.split('/').at(-1)} ${String(properties['city'])}`],
    );
const cityOf = (id: string) => fixture.hubspot.contacts.get(id)?.properties['city'];
const sweepsOff = { SLUICE_SWEEPS: 'off' };

// A retried older value must not overwrite a newer one.
it('the second update of a record waits for the first one, which is retried; another record does not wait', async () => {
  await fixture.startExecutor(sweepsOff);
  fixture.hubspot.script.push(() => hubspotRefusal(503, {}, { 'Retry-After': '600' }));
  const first = await update([{ id: '1', city: 'first' }]);
  await until('the first try', () => (sent().length > 0 ? true : undefined));
  const second = await update([{ id: '1', city: 'second' }]);
  const other = await update([{ id: '2', city: 'other' }]);
  expect(await fixture.ended(seed, other)).toMatchObject({ status: 'success' });
  // The ten minutes are over.
  await fixture.database('calls').where({ operation_id: first }).update({ not_before: fixture.database.fn.now() });
  await fixture.announce(first);
  for (const id of [first, second]) expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
  expect(sent()).toEqual(['1 first', '2 other', '1 first', '1 second']);
  expect(cityOf('1')).toBe('second');
});

it('one record twice in a batch: two calls, in order', async () => {
  await fixture.startExecutor(sweepsOff);
  const id = await update([
    { id: '1', city: 'a' },
    { id: '2', city: 'b' },
    { id: '1', city: 'c' },
  ]);
  expect(await fixture.ended(seed, id)).toMatchObject({ result: expect.stringContaining('(3 succeeded') });
  expect(sent()).toEqual(['1 a', '2 b', '1 c']);
});

it('a partly blocked call is split: free records go, the blocked one follows its predecessor', async () => {
  await fixture.startExecutor(sweepsOff);
  const { held, letGo } = hold();
  fixture.hubspot.script.push(async (_call, apply) => {
    await held;
    return apply();
  });
  const first = await update([{ id: '2', city: 'early' }]);
  await until('the first call', () => (sent().length > 0 ? true : undefined));
  const batch = await update(['1', '2', '3'].map((id) => ({ id, city: 'late' })));
  await until('the free records', () => (sent().length === 3 ? true : undefined));
  expect(sent()).toEqual(['2 early', '1 late', '3 late']);
  expect((await fixture.callStates(batch)).at(-1)).toBe('waiting');
  letGo();
  await fixture.ended(seed, first);
  expect(await fixture.ended(seed, batch)).toMatchObject({ result: 'Batch write completed (3 succeeded, 0 failed)' });
  expect(sent().at(-1)).toBe('2 late');
  expect(cityOf('2')).toBe('late');
});

it('twenty updates of one record through two executors arrive in accept order', async () => {
  await fixture.startExecutor();
  await fixture.startExecutor();
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await update([{ id: '1', city: `c${n}` }]));
  for (const id of ids) await fixture.ended(seed, id);
  expect(sent()).toEqual(ids.map((_, n) => `1 c${n}`));
});

// While a synchronous write executes on a record, neither sends.
it('a synchronous write that a gateway is sending holds back the asynchronous one, and its end lets it go', async () => {
  const queued = await fixture.accept(seed, [{ id: '1', city: 'queued' }], { type: 'update', announce: false });
  const stored = fixture.database('records').where({ operation_id: queued });
  const [row] = await stored.select<{ plan: string; order_key: string }[]>('plan', 'order_key');
  const { projectId, integrationId, installationId, configId, connectionId, revisionId, keyId, laneId } = seed;
  const operation = {
    projectId,
    id: newId(),
    integrationId,
    laneId,
    objectName: 'contacts',
    type: 'update' as const,
    mode: 'synchronous' as const,
    allOrNone: false,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    pins: { installationId, configId, connectionId, revisionId, keyId },
  };
  const orderKey = row?.order_key ?? '';
  const record = { index: 0, callNumber: 1, orderKey, headersKey: '', plan: row?.plan ?? '', retryMs: 0 };
  const opening = await fixture.store.writes.openSynchronous({
    operation,
    records: [record],
    owner: 'gateway',
    leaseMs: 300_000,
  });
  expect(opening).toMatchObject({ kind: 'opened', queuedBehind: [queued] });
  await fixture.startExecutor();
  await fixture.announce(queued);
  const other = await update([{ id: '2', city: 'other' }]);
  await fixture.ended(seed, other);
  await until('the queued write waits', async () =>
    (await fixture.callStates(queued))[0] === 'waiting' ? true : undefined,
  );
  const call = {
    projectId,
    operationId: operation.id,
    number: 1,
    laneId,
    fence: 1,
    isCreate: false,
    objectName: 'contacts',
  };
  const records = [{ index: 0, kind: 'succeeded' as const, providerId: '1' }];
  await fixture.store.writes.settle([
    { ...call, records, attempt: { durationMs: 1 }, next: { state: 'done' }, orderKeys: [orderKey] },
  ]);
  expect(await fixture.ended(seed, queued)).toMatchObject({ status: 'success' });
  expect(sent()).toEqual(['2 other', '1 queued']);
});

// The provider may still commit the lost update for a while.
it('after an update of unknown outcome the next one waits out the late-commit window', async () => {
  fixture.hubspot.script.push(() => 'hang-up');
  const first = await fixture.accept(seed, [{ id: '1', city: 'lost' }], { type: 'update', announce: false });
  await fixture.setDeadline(first, 200);
  const second = await fixture.accept(seed, [{ id: '1', city: 'next' }], { type: 'update', announce: false });
  await fixture.startExecutor();
  expect(await fixture.ended(seed, first)).toMatchObject({
    status: 'failure',
    result: expect.stringMatching(/unknown/i),
  });
  expect(await fixture.ended(seed, second)).toMatchObject({ status: 'success' });
  const [row] = await fixture
    .database('attempts as a')
    .join('operations as o', 'o.id', fixture.database.raw('?', [first]))
    .where('a.operation_id', second)
    .select<{ waited: number }[]>(
      fixture.database.raw('extract(epoch from a.sent_at - o.updated_at)::float8 as waited'),
    );
  // 30 s at a time scale of 60.
  expect(row?.waited).toBeGreaterThanOrEqual(0.5);
});
