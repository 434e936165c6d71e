import type { WriteType } from '@sluice/types';

/** Names one call. Together with its fence it is the right to settle. */
export interface CallKey {
  readonly projectId: string;
  readonly operationId: string;
  readonly number: number;
}

/** What an accept relied on. Compared in SQL with what is current, so that a change is in force for the next request. */
export interface Pins {
  readonly installationId: string;
  readonly configId: string;
  readonly connectionId: string;
  /** Latest revision of the integration: the manifest in force. */
  readonly revisionId: string;
  /** API key that authorised the request, or the JWT key of its token. */
  readonly keyId: string;
}

export type WriteMode = 'synchronous' | 'asynchronous' | 'auto-batched';

/** An operation about to be opened. */
export interface NewOperation {
  readonly projectId: string;
  /** uuid v7, made by the gateway, so that a commit of unknown outcome can be looked up. */
  readonly id: string;
  readonly integrationId: string;
  readonly laneId: string;
  readonly objectName: string;
  readonly type: WriteType;
  readonly mode: WriteMode;
  readonly allOrNone: boolean;
  readonly traceparent: string;
  readonly pins: Pins;
}

/** A record about to be stored with its plan. */
export interface NewRecord {
  /** Index in its operation, from 0; for an auto-batch decided by the join. */
  readonly index: number;
  /** Call of a single or batch write, from 1. */
  readonly callNumber: number;
  readonly ref?: string;
  /** What writes to one provider record have in common. Absent for creates, which are unordered. */
  readonly orderKey?: string;
  /** Hash of the forwarded headers: records of one call have equal ones. Empty: none. */
  readonly headersKey: string;
  /** JSON of the write plan. */
  readonly plan: string;
  /** How long after acceptance (in an auto-batch: after the seal) it is retried, in unscaled milliseconds. */
  readonly retryMs: number;
}

/** As it is stored. */
export function scaledRetryMs({ retryMs }: Pick<NewRecord, 'retryMs'>, timeScale: number): number {
  return Math.round(retryMs / timeScale);
}

/** Size of what is to be sent, in bytes. */
export function bytesOfPlans(records: readonly Pick<NewRecord, 'plan'>[]): number {
  return records.reduce((bytes, { plan }) => bytes + Buffer.byteLength(plan), 0);
}

/** As the backlog counts a call: rounded up, at least 1. */
export function kilobytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1_000));
}
