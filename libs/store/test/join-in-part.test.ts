import { DefectError, DependencyError } from '@sluice/errors';
import type { BatchableWrite, BatchMembership } from '@sluice/store';
import { createWriteStore, type WriteStore } from '../src/writes/write-store';
import { useWriteFixture } from './write-fixture';

// Records of one batch key that two API keys sent take two statements, each with its commit. What keeps the second from happening is no news for
// those whom the first has stored: if they had to send their records again, they would have them written twice.

/** The first statement fills the batch, the second opens the next one. */
const [standing, flushed, fitting] = [40, 100, 60];

const fixture = useWriteFixture();
let otherKeyId: string;
beforeEach(async () => {
  await fixture.store.writes.join(Array.from({ length: standing }, () => fixture.batchable()));
  const { projectId } = fixture.seeded;
  const names = { projectId, label: 'another', scopes: ['full' as const], secret: 'another secret' };
  otherKeyId = (await fixture.store.apiKeys.create(names)).key;
});
const storeOn = (database: typeof fixture.database): WriteStore => createWriteStore(database, 1);

/** Runs before each row that is inserted from now on: only the second pass opens a batch. */
async function before(table: 'operations' | 'records', body: string): Promise<void> {
  await fixture.database.raw(
    `create function interfere() returns trigger language plpgsql as 'begin ${body} return new; end'`,
  );
  await fixture.database.raw(
    `create trigger interfere before insert on ${table} for each row execute function interfere()`,
  );
}

const flushOf = (more: (at: number) => Partial<BatchableWrite['record']> = () => ({})): BatchableWrite[] =>
  Array.from({ length: flushed }, (_, at) => {
    const { operation, ...write } = fixture.batchable();
    const pins = at < fitting ? operation.pins : { ...operation.pins, keyId: otherKeyId };
    return {
      ...write,
      operation: { ...operation, pins },
      record: { ...write.record, ref: write.recordId, ...more(at) },
    };
  });

async function storedIds(): Promise<Set<string>> {
  const rows = await fixture.database<{ ref: string }>('records').whereNotNull('ref').select('ref');
  return new Set(rows.map((row) => row.ref));
}

/** A record that was stored has an index, one that was not has the error. */
async function expectTruth(writes: readonly BatchableWrite[], joining: ReturnType<WriteStore['join']>): Promise<void> {
  const answers = await joining;
  const stored = await storedIds();
  const expectedAnswer = (isStored: boolean) =>
    writes.filter(({ recordId }) => stored.has(recordId) === isStored).map(({ recordId }) => answers.get(recordId));
  const membership = { operationId: expect.any(String), index: expect.any(Number) };
  expect(expectedAnswer(true)).toEqual(Array.from({ length: fitting }, () => expect.objectContaining(membership)));
  expect(new Set(expectedAnswer(false).map((answer) => answer?.constructor))).toEqual(new Set([DependencyError]));
  // Nothing of them was stored, so they may be sent again.
  expect(expectedAnswer(false).filter((answer) => (answer as DependencyError).meta['retryable'] === false)).toEqual([]);
}

describe('the second pass fails', () => {
  it('without a connection to be had', async () => {
    const database = fixture.connect({ limits: { connectMs: 200 } });
    const writes = flushOf();
    const taken: Promise<unknown>[] = [];
    // Locked before the second pass asks for it: it waits in vain.
    database.on('query-response', () => taken.push(database.client.acquireConnection() as Promise<unknown>));
    try {
      await expectTruth(writes, storeOn(database).join(writes));
    } finally {
      for (const connection of await Promise.all(taken)) await database.client.releaseConnection(connection);
    }
  });

  it('at a statement that takes too long', async () => {
    await before('operations', 'perform pg_sleep(600);');
    const writes = flushOf();
    await expectTruth(writes, storeOn(fixture.connect({ limits: { statementMs: 1_000 } })).join(writes));
  });

  it('at a record that cannot be stored: its neighbours are', async () => {
    await before('records', `if new.headers_key = ''bad'' then raise exception using errcode = ''22023''; end if;`);
    const writes = flushOf((at) => (at === 70 ? { headersKey: 'bad' } : {}));
    const answers = await storeOn(fixture.connect()).join(writes);
    const joined = writes.map(({ recordId }) => answers.get(recordId));
    expect(joined.filter((answer) => answer instanceof Error)).toEqual([joined[70]]);
    expect(joined[70]).toBeInstanceOf(DefectError);
    const memberships = joined.filter(
      (answer): answer is BatchMembership => typeof answer === 'object' && 'index' in answer,
    );
    expect(new Set(memberships.map(({ operationId, index }) => `${operationId}/${index}`)).size).toBe(flushed - 1);
    expect((await storedIds()).size).toBe(flushed - 1);
  });
});

it('a process may die between the two: that is where its failpoint is', async () => {
  const met: number[] = [];
  const failpoints = { hit: async () => void met.push((await storedIds()).size) };
  await createWriteStore(fixture.connect(), 1, failpoints).join(flushOf());
  expect(met).toEqual([fitting]);
});

it('the first pass fails: nothing was stored, and every record gets the error', async () => {
  await before('records', 'perform pg_sleep(600);');
  const joining = storeOn(fixture.connect({ limits: { statementMs: 1_000 } })).join(flushOf());
  await expect(joining).rejects.toBeInstanceOf(DependencyError);
  expect((await storedIds()).size).toBe(0);
});
