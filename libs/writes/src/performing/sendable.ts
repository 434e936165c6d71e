import type { PendingRecord, ClaimedCall } from '@sluice/store';
import type { WritePlan, LiveCredentials } from '@sluice/types';
import type { Connector } from '@sluice/connectors';
import type { QuotaAnswer } from '@sluice/redis';
import type { HeldBytes } from '@sluice/telemetry';
import type { Hold } from '../leasing/lease-keeper';
import type { RefreshUsed } from './newer-credentials';

/** One provider call to make. */
export interface CallToPerform {
  readonly call: Pick<ClaimedCall, 'objectName' | 'type' | 'allOrNone' | 'traceparent'> &
    Partial<Pick<ClaimedCall, 'attempts'>>;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  /** What is sent with first. */
  readonly live: LiveCredentials;
  /** Asked once, after a 401. Absent: a 401 is the last word. */
  readonly refresh?: RefreshUsed;
  readonly hold: Pick<Hold, 'signal' | 'mayStillSend'>;
  /** See ProviderCall. */
  readonly held?: HeldBytes | undefined;
  /** Asked before each provider call after the first: after a read. */
  readonly takeQuota?: () => Promise<QuotaAnswer>;
  /** Which of these provider ids other creates have claimed. Asked before a create is sent again. Absent: none is known. */
  readonly findClaimed?: (providerIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A record with its plan read, about to be sent. */
export interface Sendable extends PendingRecord {
  readonly write: WritePlan;
}

/** Reads the stored plans of a call's records. */
export function toSendables(records: readonly PendingRecord[]): Sendable[] {
  return records.map((record) => ({ ...record, write: JSON.parse(record.plan) as WritePlan }));
}
