import type { PendingRecord } from '@sluice/store';
import type { WritePlan } from '@sluice/types';

/** A record with its plan read, about to be sent. */
export interface Sendable extends PendingRecord {
  readonly write: WritePlan;
}

/** Reads the stored plans of a call's records. */
export function toSendables(records: readonly PendingRecord[]): Sendable[] {
  return records.map((record) => ({ ...record, write: JSON.parse(record.plan) as WritePlan }));
}
