import { choice, count, flag, momentText, openObject, text, type Described } from './json-schema';
import { heldConnectionSchema, lastFailureSchema, type HeldConnection, type LastFailure } from './lane';
import type { OperationStatus } from './operation';

/**
 * `accumulating`: an auto-batch that still takes records. `queued`: its calls wait, run or are looked up. `ended`: every record has
 * its outcome.
 */
const operationPhases = ['accumulating', 'queued', 'ended'] as const;
export type OperationPhase = (typeof operationPhases)[number];

/** How far an operation is: a batch filling and draining. Our addition to the published API; see rulings. */
export interface OperationProgress {
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly phase: OperationPhase;
  /** `create`, `update` or `delete`. */
  readonly type: string;
  /** `synchronous` or `asynchronous`. */
  readonly mode: string;
  /** Of an auto-batch only. */
  readonly batch?: Described<typeof batch>;
  /** They add up to `total`. */
  readonly records: Described<typeof records>;
  readonly calls: Described<typeof calls>;
  /** When the next attempt is due, where a call waits for one. */
  readonly nextAttemptTime?: string;
  readonly cancelRequestTime?: string;
  readonly installationId?: string;
  /** Of its installation, also of a deleted one. */
  readonly groupRef?: string;
  readonly laneId: string;
  /** In the future: the lane of the operation is blocked until then. */
  readonly laneBlockedUntil?: string;
  /** The provider refuses its connection: what is not decided waits for new credentials. Absent: it does not, or all is decided. */
  readonly held?: HeldConnection;
  /** How the provider last failed a call that waits for its next attempt. Absent: no call waits for one. */
  readonly lastFailure?: LastFailure;
}

const batch = openObject('How an auto-batch fills.', ['recordsMax', 'dueTime', 'isFull'], {
  recordsMax: count('Records that fill it.'),
  dueTime: momentText('When it is sealed, full or not.'),
  isFull: flag('Whether it takes no more records.'),
});

const records = openObject('Records by outcome.', ['total', 'pending', 'succeeded', 'failed', 'unknown'], {
  total: count('All of them.'),
  pending: count('Not decided yet.'),
  succeeded: count('Written.'),
  failed: count('Not written.'),
  unknown: count('It cannot be determined whether they were written.'),
});

const calls = openObject(
  'Calls by state.',
  ['ready', 'retrying', 'running', 'inDoubt', 'waiting', 'done', 'quarantined'],
  {
    ready: count('May be sent now.'),
    retrying: count('Wait for the moment of their next attempt.'),
    running: count('Being sent.'),
    inDoubt: count('Sent; their outcome is being looked up.'),
    waiting: count('Wait for an earlier write to the same record.'),
    done: count('Ended.'),
    quarantined: count('Taken out after four crashes of the executor.'),
  },
);

export const operationProgressSchema = openObject(
  'How far an operation is.',
  ['operationId', 'status', 'phase', 'type', 'mode', 'records', 'calls', 'laneId'],
  {
    operationId: text('Operation id.'),
    status: choice('Its state.', ['success', 'failure', 'in_progress']),
    phase: choice(
      'accumulating: it still takes records. queued: its calls wait or run. ended: all is decided.',
      operationPhases,
    ),
    type: text('create, update or delete.'),
    mode: text('synchronous or asynchronous.'),
    batch,
    records,
    calls,
    nextAttemptTime: momentText('When the next attempt is due.'),
    cancelRequestTime: momentText('When a cancel was asked for.'),
    installationId: text('Installation of the operation.'),
    groupRef: text('Group of the installation.'),
    laneId: text('Lane of the operation.'),
    laneBlockedUntil: momentText('Nothing of the lane is sent before then.'),
    held: heldConnectionSchema,
    lastFailure: lastFailureSchema,
  },
);
