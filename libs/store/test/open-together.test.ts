import { type SynchronousWrite } from '@sluice/store';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture('file');

const write = (o: { configId?: string; records?: object[]; key?: string } = {}): SynchronousWrite => ({
  ...fixture.asynchronous({ records: o.records ?? [{}], ...(o.configId !== undefined && { configId: o.configId }) }),
  owner: 'gateway',
  leaseMs: 6_000,
  ...(o.key !== undefined && { idempotency: { scope: 'write', key: o.key, bodyHash: 'hash' } }),
});

// Whoever shares a statement gets the answer that it would get alone: a neighbour's stale plan or taken key is not its own.
it('opens writes of one statement each by its own facts', async () => {
  await fixture.store.writes.openSynchronous(write({ key: 'taken' }));
  const writes = [
    write(),
    write({ configId: 'another' }),
    write({ records: [{}, {}, {}], key: 'free' }),
    write({ key: 'taken' }),
  ];
  const openings = await fixture.store.writes.openTogether(writes);
  expect(openings.map(({ kind }) => kind)).toEqual(['opened', 'stale', 'opened', 'key-taken']);
  const stored = await fixture.database.raw<{ rows: object[] }>(
    `select o.id, o.mode, c.state, c.fence::integer, (select count(*)::integer from records r where r.operation_id = o.id) as records, c.sent_members
     from operations o join calls c on c.operation_id = o.id
     where o.id = any(?::text[]) order by o.id`,
    [writes.map(({ operation }) => operation.id)] as never,
  );
  const running = { mode: 'synchronous', state: 'running', fence: 1 };
  expect(stored.rows).toEqual([
    { ...running, id: writes[0]?.operation.id, records: 1, sent_members: [0] },
    { ...running, id: writes[2]?.operation.id, records: 3, sent_members: [0, 1, 2] },
  ]);
});

// An account that refused a call, and a token at its end, are found by the statement that would open the write: nothing of it is stored then.
it('opens nothing for a blocked account, and nothing with a token at its end', async () => {
  const { seeded, store, lane } = fixture;
  const stored = async () => (await fixture.database.raw<{ rows: object[] }>('select 1 from operations')).rows.length;
  const before = await stored();
  const refreshAt = (at: Date | null) =>
    fixture.database('connections').where({ id: seeded.connectionId }).update({ token_refresh_at: at });
  await refreshAt(new Date(0));
  expect(await store.writes.openTogether([write({ key: 'unused' }), write()])).toEqual([
    { kind: 'expiring' },
    { kind: 'expiring' },
  ]);
  expect(await stored()).toBe(before);
  expect(await store.writes.openSynchronous({ ...write(), isRefreshed: true })).toMatchObject({ kind: 'opened' });
  await refreshAt(null);
  await store.writes.blockLane(lane, 60_000, 'ten_secondly_rolling');
  const update = fixture.asynchronous({ type: 'update', records: [{ recordId: '1' }] });
  const openings = [
    ...(await store.writes.openTogether([write({ key: 'unused' }), write()])),
    await store.writes.openSynchronous({ ...update, owner: 'gateway', leaseMs: 6_000 }),
  ];
  const blockedMs = openings.map((opening) => (opening.kind === 'blocked' ? opening.blockedMs : 0));
  expect(Math.min(...blockedMs)).toBeGreaterThan(50_000);
  expect(await stored()).toBe(before + 1);
  await fixture.database('lanes').update({ blocked_until: null });
  // Its key was not taken by what was not opened.
  expect(await store.writes.openSynchronous(write({ key: 'unused' }))).toMatchObject({ kind: 'opened' });
});

it('returns credentials only to those who do not hold the version that is stored', async () => {
  const known = (knownTokenVersion?: number): SynchronousWrite => ({
    ...write(),
    ...(knownTokenVersion !== undefined && { knownTokenVersion }),
  });
  const openings = await fixture.store.writes.openTogether([known(), known(1), known(2)]);
  const returned = openings.map((opening) => opening.kind === 'opened' && opening.credentials);
  const stored = { provider: 'hubspot', tokenVersion: 1, status: 'created' };
  expect(returned).toEqual([
    expect.objectContaining({ ...stored, sealed: expect.any(String) }),
    expect.not.objectContaining({ sealed: expect.anything() }),
    expect.objectContaining({ ...stored, sealed: expect.any(String) }),
  ]);
});
