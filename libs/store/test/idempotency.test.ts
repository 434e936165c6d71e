import {
  type AcceptableWrite,
  type AcceptAnswer,
  type BatchableWrite,
  type JoinAnswer,
  type Settlement,
  type SynchronousWrite,
} from '@sluice/store';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture('file');

let made = 0;
/** A key that no other test uses. */
const newKey = (bodyHash = 'hash') => ({ scope: 'writes', key: `key-${(made += 1)}`, bodyHash });
type Claim = ReturnType<typeof newKey>;

const find = (claim: Claim) => fixture.store.writes.findKey({ projectId: fixture.seeded.projectId, ...claim });
const accept = async (...writes: AcceptableWrite[]) => {
  const answers = await fixture.store.writes.accept(writes);
  return writes.map(({ operation }) => answers.get(operation.id));
};
const kindOf = (answer: AcceptAnswer | JoinAnswer | undefined) => answer && 'kind' in answer && answer.kind;
const isTaken = (answer: AcceptAnswer | JoinAnswer | undefined) => kindOf(answer) === 'key-taken';
const join = async (...writes: BatchableWrite[]) => {
  const answers = await fixture.store.writes.join(writes);
  return writes.map(({ recordId }) => answers.get(recordId));
};
const synchronous = (claim: Claim): SynchronousWrite => ({
  ...fixture.asynchronous(),
  owner: 'test',
  leaseMs: 6_000,
  idempotency: claim,
});
const settlementOf = ({ operation }: SynchronousWrite, more: Partial<Settlement>): Settlement => ({
  projectId: operation.projectId,
  operationId: operation.id,
  number: 1,
  laneId: operation.laneId,
  fence: 1,
  isCreate: true,
  objectName: 'contacts',
  attempt: { durationMs: 1, status: 201 },
  records: [{ index: 0, kind: 'failed', error: { class: 'rejected', text: 'no' } }],
  next: { state: 'done' },
  orderKeys: [],
  ...more,
});
const age = (claim: Claim, hours: number) =>
  fixture
    .database('idempotency_keys')
    .where({ key: claim.key })
    .update({ created_at: fixture.database.raw(`now() - make_interval(hours => ?)`, [hours]) });
const operations = async (): Promise<number> => Number((await fixture.database('operations').count())[0]?.['count']);

describe('a key of an asynchronous write', () => {
  it('is stored with the acceptance, with the reply that a repeat gets', async () => {
    const claim = newKey();
    const { operation, records } = fixture.asynchronous();
    const [first] = records;
    await accept({ operation, records: first ? [{ ...first, ref: 'r-1' }] : [], idempotency: claim });
    expect(await find(claim)).toEqual({
      bodyHash: 'hash',
      operationId: operation.id,
      reply: { kind: 'accepted', operationId: operation.id, index: 0, ref: 'r-1' },
    });
  });

  it('20 concurrent writes of one key: one operation, the others get it', async () => {
    const claim = newKey();
    const before = await operations();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => accept({ ...fixture.asynchronous(), idempotency: claim })),
    );
    expect(answers.flat().filter(isTaken)).toHaveLength(19);
    expect(await operations()).toBe(before + 1);
  });

  it('a flush of writes with and without keys: only the taken one is left out', async () => {
    const [taken, free] = [newKey(), newKey()];
    await accept({ ...fixture.asynchronous(), idempotency: taken });
    const answers = await accept(
      { ...fixture.asynchronous(), idempotency: taken },
      { ...fixture.asynchronous(), idempotency: free },
      fixture.asynchronous(),
    );
    expect(answers).toEqual([
      { kind: 'key-taken' },
      { kind: 'accepted', acceptedAt: expect.any(Date) },
      { kind: 'accepted', acceptedAt: expect.any(Date) },
    ]);
  });

  // A COMMIT of unknown outcome: the same rows come again and must not be taken for another write.
  it('the same write again is the same acceptance', async () => {
    const write = { ...fixture.asynchronous(), idempotency: newKey() };
    const [first] = await accept(write);
    expect(await accept(write)).toEqual([first]);
  });

  it('nothing accepted, no key: a changed config leaves it free', async () => {
    const claim = newKey();
    expect(await accept({ ...fixture.asynchronous({ configId: 'another' }), idempotency: claim })).toEqual([
      { kind: 'stale' },
    ]);
    expect(await find(claim)).toBeUndefined();
  });

  // Two flushes that hold the keys of each other's next row would wait for ever.
  it('flushes with the same keys in opposite orders do not wait for each other', async () => {
    const claims = Array.from({ length: 30 }, () => newKey());
    const flush = (order: Claim[]) =>
      accept(...order.map((idempotency) => ({ ...fixture.asynchronous(), idempotency })));
    const answers = (await Promise.all([flush(claims), flush([...claims].reverse())])).flat();
    expect(answers.filter(isTaken)).toHaveLength(30);
  });
});

describe('a key of an auto-batched write', () => {
  it('20 concurrent joins of one key: one record; the reply names its operation and index', async () => {
    const claim = newKey();
    await join(fixture.batchable());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => join({ ...fixture.batchable(), idempotency: claim })),
    );
    const joined = answers.flat().filter((answer) => kindOf(answer) === 'joined');
    expect(joined).toHaveLength(1);
    expect(answers.flat().filter(isTaken)).toHaveLength(19);
    const [{ operationId, index }] = joined as unknown as [{ operationId: string; index: number }];
    expect(await find(claim)).toMatchObject({ operationId, reply: { kind: 'accepted', operationId, index } });
  });

  it('nothing joined, no key: a changed config leaves it free', async () => {
    const claim = newKey();
    const { operation, ...rest } = fixture.batchable();
    const pins = { ...operation.pins, configId: 'another' };
    const stale = { ...rest, operation: { ...operation, pins }, idempotency: claim };
    expect(await join(stale, fixture.batchable())).toEqual([
      { kind: 'stale' },
      expect.objectContaining({ isFull: false }),
    ]);
    expect(await find(claim)).toBeUndefined();
  });

  it('a flush of records with and without keys, of two batches: only the taken one is left out', async () => {
    const [taken, free] = [newKey(), newKey()];
    await join({ ...fixture.batchable(), idempotency: taken });
    const update = fixture.batchable({ type: 'update', recordId: '1' });
    const answers = await join(
      { ...fixture.batchable(), idempotency: taken },
      { ...update, idempotency: free },
      fixture.batchable(),
    );
    expect(answers).toEqual([{ kind: 'key-taken' }, expect.objectContaining({ index: 0 }), expect.any(Object)]);
    const { operationId } = answers[1] as { operationId: string };
    expect(await find(free)).toMatchObject({ operationId, reply: { kind: 'accepted', operationId, index: 0 } });
  });

  it('a join that fails leaves neither record nor key', async () => {
    const claim = newKey();
    const write = fixture.batchable();
    const broken = { ...write, record: { ...write.record, plan: 'a\0b' }, idempotency: claim };
    await expect(join(broken)).rejects.toMatchObject({ code: 'service.defect' });
    expect(await find(claim)).toBeUndefined();
  });
});

describe('a key of a synchronous write', () => {
  it('20 concurrent openings of one key: one operation', async () => {
    const claim = newKey();
    const before = await operations();
    const openings = await Promise.all(
      Array.from({ length: 20 }, () => fixture.store.writes.openSynchronous(synchronous(claim))),
    );
    const kinds = openings.map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...Array.from({ length: 19 }, () => 'key-taken'), 'opened']);
    expect(await operations()).toBe(before + 1);
  });

  it('is in flight until the settlement stores the reply; a lost fence stores nothing', async () => {
    const claim = newKey();
    const write = synchronous(claim);
    await fixture.store.writes.openSynchronous(write);
    expect(await find(claim)).toEqual({ bodyHash: 'hash', operationId: write.operation.id });
    expect(await fixture.store.writes.readEnded(write.operation.projectId, write.operation.id)).toBeUndefined();
    const reply = { kind: 'answered', status: 422, body: { a: 1 } } as const;
    const idempotency = { ...claim, reply };
    await fixture.store.writes.settle([settlementOf(write, { idempotency, fence: 9 })]);
    expect(await find(claim)).not.toHaveProperty('reply');
    await fixture.store.writes.settle([settlementOf(write, { idempotency })]);
    expect(await find(claim)).toMatchObject({ reply });
    expect(await fixture.store.writes.readEnded(write.operation.projectId, write.operation.id)).toEqual([
      { outcome: 'failed', errorClass: 'rejected', errorText: 'no', plan: '{"fields":{}}' },
    ]);
  });

  it('a settlement without a reply frees it; then it opens another operation', async () => {
    const claim = newKey();
    const write = synchronous(claim);
    await fixture.store.writes.openSynchronous(write);
    await fixture.store.writes.settle([settlementOf(write, { idempotency: claim })]);
    expect(await find(claim)).toBeUndefined();
    expect(await fixture.store.writes.openSynchronous(synchronous(claim))).toMatchObject({ kind: 'opened' });
  });

  it('dropKey frees it only while it names that operation', async () => {
    const claim = newKey();
    const write = synchronous(claim);
    await fixture.store.writes.openSynchronous(write);
    const name = { projectId: write.operation.projectId, ...claim };
    await fixture.store.writes.dropKey(name, 'another');
    expect(await find(claim)).toBeDefined();
    await fixture.store.writes.dropKey(name, write.operation.id);
    expect(await find(claim)).toBeUndefined();
  });
});

// 72 hours.
describe('the age of a key', () => {
  it('after 72 hours it is as if it had never been: another write takes it', async () => {
    const claim = newKey();
    await accept({ ...fixture.asynchronous(), idempotency: claim });
    await age(claim, 71);
    expect(await accept({ ...fixture.asynchronous(), idempotency: claim })).toEqual([{ kind: 'key-taken' }]);
    await age(claim, 72);
    expect(await find(claim)).toBeUndefined();
    const next = { ...fixture.asynchronous(), idempotency: { ...claim, bodyHash: 'other' } };
    expect(await accept(next)).toEqual([{ kind: 'accepted', acceptedAt: expect.any(Date) }]);
    expect(await find(claim)).toMatchObject({ bodyHash: 'other', operationId: next.operation.id });
  });

  it('the sweep deletes old keys, as many as its limit, and no younger one', async () => {
    const claims = [newKey(), newKey(), newKey()];
    for (const idempotency of claims) await accept({ ...fixture.asynchronous(), idempotency });
    for (const claim of claims.slice(0, 2)) await age(claim, 73);
    expect(await fixture.store.writes.sweepKeys(1)).toBe(1);
    expect(await fixture.store.writes.sweepKeys(100)).toBe(1);
    expect(await fixture.store.writes.sweepKeys(100)).toBe(0);
    const left = await fixture
      .database('idempotency_keys')
      .whereIn(
        'key',
        claims.map(({ key }) => key),
      )
      .select('key');
    expect(left).toEqual([{ key: claims[2]?.key }]);
  });

  it('belongs to a project and a scope', async () => {
    const claim = newKey();
    await accept({ ...fixture.asynchronous(), idempotency: claim });
    expect(await accept({ ...fixture.asynchronous(), idempotency: { ...claim, scope: 'other' } })).toEqual([
      { kind: 'accepted', acceptedAt: expect.any(Date) },
    ]);
    expect(await fixture.store.writes.findKey({ ...claim, projectId: 'another' })).toBeUndefined();
  });
});
