import type { Opening, SynchronousWrite, WriteStore } from '@sluice/store';
import { coalesce } from '@sluice/writes';
import { nameOfKey } from './idempotency';

/** Writes of one statement at most; with large records `statementBytesMax` comes first. */
const writesPerStatement = 64;
/**
 * Statements in flight. A second one takes only what arrived since the first, so each is smaller and a write costs more: one in place of two took
 * 27 % of the process time, 16 % of Postgres' and 46 % of the median off a synchronous create (two cores, 16 callers, 2026-11-23).
 */
const statementsAtOnce = 1;
/** Plans of one statement, in bytes. */
const statementBytesMax = 1_000_000;

/**
 * Synchronous creates that come at the same time are opened by one statement; nothing orders them among each other. A key may be held
 * by another process, and what waits for it or fails with it has a key as well, so that it may be sent again.
 */
export function sharingOpenings(
  writes: Pick<WriteStore, 'openTogether' | 'openSynchronous'>,
): (write: SynchronousWrite) => Promise<Opening> {
  const [keyed, bare] = [sharing(writes), sharing(writes)];
  return (write) => {
    const isOrdered = write.operation.type === 'delete' || write.records.some(({ orderKey }) => orderKey !== undefined);
    if (isOrdered) return writes.openSynchronous(write);
    return write.idempotency === undefined ? bare(write) : keyed(write);
  };
}

function sharing({ openTogether }: Pick<WriteStore, 'openTogether'>): (write: SynchronousWrite) => Promise<Opening> {
  return coalesce<SynchronousWrite, Opening>({
    run: (together) => openTogether(together),
    itemsMax: writesPerStatement,
    runsMax: statementsAtOnce,
    weightOf: ({ records }) => records.reduce((bytes, { plan }) => bytes + plan.length, 0),
    weightMax: statementBytesMax,
    keyOf: ({ operation, idempotency }) => nameOfKey(operation.projectId, idempotency),
  });
}
