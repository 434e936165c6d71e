import type { WriteType } from './write-request';

/**
 * The Kafka message about one accepted write: all its names, and neither a field value nor a secret.
 * A lost message costs latency only; a repeated one costs nothing, because the claim decides.
 * Topics: `sluice.writes.auto-batched` (per record; `recordId`, `dueAt`, `isFull` set) and
 * `sluice.writes.ready` (per call; `callNumber` set).
 */
export interface WriteAnnouncement {
  readonly projectId: string;
  readonly operationId: string;
  readonly installationId: string;
  readonly laneId: string;
  readonly objectName: string;
  readonly type: WriteType;
  readonly callNumber?: number;
  /** Index of the record in its operation, from 0. */
  readonly index?: number;
  /** Id that the gateway gave an auto-batched record. */
  readonly recordId?: string;
  /** ISO 8601, from the database's clock. */
  readonly acceptedAt: string;
  /** When an auto-batch leaves at the latest, ISO 8601, from the database's clock. */
  readonly dueAt?: string;
  readonly isFull?: boolean;
  readonly traceparent: string;
}
