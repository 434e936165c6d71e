import {
  coalesce,
  groupCommit,
  sharedStatement,
  type AcceptableWrite,
  type AcceptAnswer,
  type BatchableWrite,
  type JoinAnswer,
  type KeyClaim,
  type NewOperation,
  type NewRecord,
  type Opening,
  type SynchronousWrite,
  type WriteStore,
} from '@sluice/store';

/** Records of one joining statement at most, whatever their batches: what fills one. */
const recordsPerJoin = 100;
/**
 * Openings in flight. A second one takes only what arrived since the first, so each is smaller and a write costs more. One in place of two took 27
 * % of the process time, 16 % of Postgres' and 46 % of the median off a synchronous create (two cores, 16 callers, 2026-11-23).
 */
const openingsAtOnce = 1;

type CommittingStore = Pick<WriteStore, 'accept' | 'join' | 'openSynchronous' | 'openTogether'>;

/** The three commits that promise a write. Writes that arrive at the same time share a statement. */
export function createCommits(writes: CommittingStore) {
  // A key may be held by another process. What waits for it or fails with it has a key as well, so that it may be sent again.
  const [openKeyed, openBare] = [openingTogether(writes), openingTogether(writes)];
  return {
    /** Operations with their calls. */
    accept: coalesce<AcceptableWrite, AcceptAnswer>({
      ...groupCommit,
      run: async (together) => {
        const answers = await writes.accept(together);
        return together.map(({ operation }) => answers.get(operation.id) ?? { kind: 'stale' });
      },
      weightOf: ({ records }) => planCharacters(records),
      keyOf: idempotencyOf,
    }),
    /** Records of auto-batches, whatever the batches. */
    join: coalesce<BatchableWrite, JoinAnswer>({
      ...groupCommit,
      run: async (together) => {
        const answers = await writes.join(together);
        return together.map(({ recordId }) => answers.get(recordId) ?? { kind: 'stale' });
      },
      itemsMax: recordsPerJoin,
      // A join that waits for the row of a hot key holds up no other key.
      itemsMin: 1,
      weightOf: ({ record }) => record.plan.length,
      keyOf: idempotencyOf,
    }),
    /** Operations whose call begins at once. Creates share a statement; writes to known records are ordered, and each has its own. */
    open: (write: SynchronousWrite): Promise<Opening> => {
      const { operation, records, idempotency } = write;
      const isOrdered = operation.type === 'delete' || records.some(({ orderKey }) => orderKey !== undefined);
      if (isOrdered) return writes.openSynchronous(write);
      return idempotency === undefined ? openBare(write) : openKeyed(write);
    },
  };
}

function openingTogether(writes: CommittingStore): (write: SynchronousWrite) => Promise<Opening> {
  return coalesce<SynchronousWrite, Opening>({
    ...sharedStatement,
    run: (together) => writes.openTogether(together),
    runsMax: openingsAtOnce,
    weightOf: ({ records }) => planCharacters(records),
    keyOf: idempotencyOf,
  });
}

function planCharacters(records: readonly Pick<NewRecord, 'plan'>[]): number {
  return records.reduce((characters, { plan }) => characters + plan.length, 0);
}

interface Keyed {
  readonly operation: NewOperation;
  readonly idempotency?: KeyClaim;
}

/** Names the idempotency key of a write among those of all projects: two writes of one key never share a statement. */
function idempotencyOf({ operation, idempotency }: Keyed): string | undefined {
  return idempotency && `${operation.projectId}\n${idempotency.scope}\n${idempotency.key}`;
}
