import { moment } from './json-schema';
import type { OperationStatus } from './operation';

/**
 * `accumulating`: an auto-batch that still takes records. `queued`: its calls wait, run or are looked up. `ended`: every record has
 * its outcome.
 */
const operationPhases = ['accumulating', 'queued', 'ended'] as const;
export type OperationPhase = (typeof operationPhases)[number];

/** How far an operation is: a batch filling and draining. Ours, besides the published API; see rulings. */
export interface OperationProgress {
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly phase: OperationPhase;
  /** `create`, `update` or `delete`. */
  readonly type: string;
  /** `synchronous` or `asynchronous`. */
  readonly mode: string;
  /** Of an auto-batch only. */
  readonly batch?: BatchFill;
  readonly records: RecordCounts;
  readonly calls: CallCounts;
  /** When the next attempt is due, where a call waits for one. */
  readonly nextAttemptTime?: string;
  readonly cancelRequestTime?: string;
  readonly laneId: string;
  /** In the future: the lane of the operation is blocked until then. */
  readonly laneBlockedUntil?: string;
}

/** How an auto-batch fills. */
export interface BatchFill {
  /** Records that fill it. */
  readonly recordsMax: number;
  /** When it is sealed, full or not. */
  readonly dueTime: string;
  readonly isFull: boolean;
}

/** Records by outcome; they add up to `total`. */
export interface RecordCounts {
  readonly total: number;
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
}

/** Calls by state; `retrying` are those that wait for the moment of their next attempt. */
export interface CallCounts {
  readonly ready: number;
  readonly retrying: number;
  readonly running: number;
  readonly inDoubt: number;
  readonly waiting: number;
  readonly done: number;
  readonly quarantined: number;
}

const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

/** Schema of the reply. */
export const operationProgressSchema = {
  type: 'object',
  description: 'How far an operation is.',
  required: ['operationId', 'status', 'phase', 'type', 'mode', 'records', 'calls', 'laneId'],
  properties: {
    operationId: { type: 'string', description: 'Operation id.' },
    status: { type: 'string', enum: ['success', 'failure', 'in_progress'], description: 'Where it stands.' },
    phase: {
      type: 'string',
      enum: operationPhases,
      description: 'accumulating: it still takes records. queued: its calls wait or run. ended: all is decided.',
    },
    type: { type: 'string', description: 'create, update or delete.' },
    mode: { type: 'string', description: 'synchronous or asynchronous.' },
    batch: {
      type: 'object',
      description: 'How an auto-batch fills.',
      required: ['recordsMax', 'dueTime', 'isFull'],
      properties: {
        recordsMax: count('Records that fill it.'),
        dueTime: { ...moment, description: 'When it is sealed, full or not.' },
        isFull: { type: 'boolean', description: 'Whether it takes no more records.' },
      },
    },
    records: {
      type: 'object',
      description: 'Records by outcome.',
      required: ['total', 'pending', 'succeeded', 'failed', 'unknown'],
      properties: {
        total: count('All of them.'),
        pending: count('Not decided yet.'),
        succeeded: count('Written.'),
        failed: count('Not written.'),
        unknown: count('Nobody can tell whether they were written.'),
      },
    },
    calls: {
      type: 'object',
      description: 'Calls by state.',
      required: ['ready', 'retrying', 'running', 'inDoubt', 'waiting', 'done', 'quarantined'],
      properties: {
        ready: count('May be sent now.'),
        retrying: count('Wait for the moment of their next attempt.'),
        running: count('Being sent.'),
        inDoubt: count('Sent; what became of them is being looked up.'),
        waiting: count('Stand behind an earlier write to the same record.'),
        done: count('Ended.'),
        quarantined: count('Taken out after four crashes of the executor.'),
      },
    },
    nextAttemptTime: { ...moment, description: 'When the next attempt is due.' },
    cancelRequestTime: { ...moment, description: 'When a cancel was asked for.' },
    laneId: { type: 'string', description: 'Lane of the operation.' },
    laneBlockedUntil: { ...moment, description: 'Nothing of the lane is sent before then.' },
  },
} as const;
