import { limits } from '@sluice/types';
import type { ClientLedger } from './client-ledger';
import type { Flushed } from './read-batches';
import { isAutoBatched } from './read-outcomes';

/** Seals and due times are moments of one clock; what rounding may make of them. */
const roundingMs = 5;

/**
 * Batches that break a promise: more than 100 records, members of two keys, a count that is not what is stored, flushed before
 * the due time without being full, or later than allowed; and members that the client was answered two positions for.
 */
export function countBatchFaults(batches: readonly Flushed[], ledger: ClientLedger, flushLateMs: number): number {
  const faults = batches.flatMap((batch) => faultsOf(batch, flushLateMs));
  return faults.length + countWrongMembers(batches, ledger);
}

/** The latest flush, in milliseconds after its due time; 0 when none was late. */
export function latestFlushMs(batches: readonly Flushed[]): number {
  return Math.max(0, ...batches.map(({ lateMs = 0 }) => Math.round(lateMs)));
}

function faultsOf({ stored, counted, keys, lateMs }: Flushed, flushLateMs: number): string[] {
  const isFull = stored >= limits.autoBatchRecordsMax;
  return [
    ...(stored > limits.autoBatchRecordsMax ? ['too large'] : []),
    ...(stored !== counted ? ['miscounted'] : []),
    ...(keys > 1 ? ['two keys'] : []),
    ...(lateMs !== undefined && lateMs < -roundingMs && !isFull ? ['early'] : []),
    ...(lateMs !== undefined && lateMs > flushLateMs ? ['late'] : []),
  ];
}

/** What the client was answered: one position per record, a position that exists, and one customer and type per batch. */
function countWrongMembers(batches: readonly Flushed[], { records }: ClientLedger): number {
  const sizes = new Map(batches.map(({ id, stored }) => [id, stored]));
  const members = records.filter(({ way, operationId }) => isAutoBatched(way) && operationId !== undefined);
  let wrong = 0;
  for (const [id, mine] of Map.groupBy(members, ({ operationId }) => operationId as string)) {
    const indexes = new Set(mine.map(({ index }) => index));
    const groups = new Set(mine.map(({ customer, way }) => `${customer.groupRef}/${way}`));
    wrong += mine.length - indexes.size + (groups.size - 1);
    wrong += mine.filter(({ index = 0 }) => index >= (sizes.get(id) ?? Infinity)).length;
  }
  return wrong;
}
