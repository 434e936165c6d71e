import { DependencyError } from '@sluice/errors';
import { newId, type AcceptableWrite, type AcceptAnswer } from '@sluice/store';
import { createWriteStore, type WriteStore } from '../src/writes/write-store';
import { useWriteFixture } from './write-fixture';

// A flush is stored by one commit and, where some of it was not, read by a statement after it. What keeps that from being read is no news for those
// whom the commit has stored: if they had to send their writes again, they would have them stored twice.

const fixture = useWriteFixture();

interface Cut {
  readonly store: WriteStore;
  /** Gives back what was taken. */
  end(): Promise<void>;
}

type Database = ReturnType<typeof fixture.connect>;

/** Whether the first statement is answered or refused. */
function onReply(database: Database, cut: () => void): void {
  database.on('query-response', cut);
  database.on('query-error', cut);
}

/** From the first statement that has its reply on there is no connection to be had. */
function withoutConnection(): Cut {
  const database = fixture.connect({ limits: { connectMs: 200 } });
  const taken: Promise<unknown>[] = [];
  // Locked before the next statement asks for it: it waits in vain.
  onReply(database, () => taken.push(database.client.acquireConnection() as Promise<unknown>));
  const end = async (): Promise<void> => {
    for (const connection of await Promise.all(taken)) await database.client.releaseConnection(connection);
  };
  return { store: createWriteStore(database, 1), end };
}

/** From the first statement that has its reply on every read of the operations is cancelled, as one that takes too long is. */
function withoutLookup(): Cut {
  const database = fixture.connect();
  let locking: Promise<unknown> | undefined;
  const over = new AbortController();
  const lock = async (connection: unknown): Promise<void> => {
    await fixture.database.transaction(async (transaction) => {
      await transaction.raw('lock table operations in access exclusive mode');
      await database.client.releaseConnection(connection);
      while (!over.signal.aborted) {
        await transaction.raw(
          `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'relation'`,
        );
      }
    });
  };
  onReply(database, () => {
    locking ??= (database.client.acquireConnection() as Promise<unknown>).then(lock);
  });
  const end = async (): Promise<void> => {
    over.abort();
    await locking;
  };
  return { store: createWriteStore(database, 1), end };
}

const cuts: [string, () => Cut][] = [
  ['without a connection to be had', withoutConnection],
  ['at a statement that takes too long', withoutLookup],
];

/** What each write got, whether by its answer or by the failure of all. */
async function acceptOrErrors(cut: Cut, writes: readonly AcceptableWrite[]): Promise<(AcceptAnswer | undefined)[]> {
  const results = await cut.store.accept(writes).then(
    (answers) => writes.map(({ operation }) => answers.get(operation.id)),
    (error: unknown) => writes.map(() => error as DependencyError),
  );
  await cut.end();
  return results;
}

async function storedOf(writes: readonly AcceptableWrite[]): Promise<boolean[]> {
  const rows = await fixture.database<{ id: string }>('operations').select('id');
  const ids = new Set(rows.map(({ id }) => id));
  return writes.map(({ operation }) => ids.has(operation.id));
}

const accepted = { kind: 'accepted', acceptedAt: expect.any(Date) };
const retryableOf = (answer: AcceptAnswer | undefined): unknown =>
  (answer as DependencyError).meta['retryable'] ?? true;

describe.each(cuts)('the lookup that follows the commit fails %s', (_case, cut) => {
  it('who was stored is accepted; who was not hears that it may come again', async () => {
    const writes = [fixture.asynchronous(), fixture.asynchronous({ configId: newId() }), fixture.asynchronous()];
    const results = await acceptOrErrors(cut(), writes);
    expect(await storedOf(writes)).toEqual([true, false, true]);
    expect([results[0], results[2]]).toEqual([accepted, accepted]);
    expect(results[1]).toBeInstanceOf(DependencyError);
    expect(retryableOf(results[1])).toBe(true);
  });

  // Each alone, after a flush that a neighbour's value has spoilt: the first try may have been committed.
  it('what an earlier try has stored is reported as in doubt, with the remedy', async () => {
    const write = await fixture.accept();
    const [results] = await acceptOrErrors(cut(), [write]);
    expect(results).toBeInstanceOf(DependencyError);
    expect(retryableOf(results)).toBe(false);
    expect(results).toMatchObject({
      detail: expect.stringContaining('It is not known whether the write was accepted'),
      remedy: expect.stringContaining('Idempotency-Key'),
    });
    expect(await storedOf([write])).toEqual([true]);
  });
});

// The config may have changed since, so that it would be refused now.
it('what an earlier try has stored is accepted, whatever has changed meanwhile', async () => {
  const write = await fixture.accept();
  await fixture.database('installations').update({ config_id: 'another' });
  const again = await fixture.store.writes.accept([write]);
  expect(again.get(write.operation.id)).toEqual(accepted);
});
