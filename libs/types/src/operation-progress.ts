import { choice, count, flag, momentText, openObject, text, type Described } from './json-schema';
import { heldConnectionSchema, lastFailureSchema, type LastFailure } from './lane';

/**
 * `accumulating`: an auto-batch that still takes records. `queued`: its calls wait, run or are looked up. `ended`: every record has
 * its outcome.
 */
const operationPhases = ['accumulating', 'queued', 'ended'] as const;
export type OperationPhase = (typeof operationPhases)[number];

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
    // Of an auto-batch only.
    batch,
    records,
    calls,
    nextAttemptTime: momentText('When the next attempt is due.'),
    cancelRequestTime: momentText('When a cancel was asked for.'),
    retryMs: count('How long its records are tried, in milliseconds; a retry has as long.'),
    // Absent: it is no replay, or one of a version that did not keep it.
    replayOf: text('The operation whose failed records it writes again.'),
    installationId: text('Installation of the operation.'),
    // Also of a deleted one.
    groupRef: text('Group of the installation.'),
    groupName: text('Its name, where it has one.'),
    integrationName: text('Name of the integration.'),
    laneId: text('Lane of the operation.'),
    laneBlockedUntil: momentText('Nothing of the lane is sent before then.'),
    // Absent: the provider does not refuse the connection, or all is decided.
    held: heldConnectionSchema,
    // Absent: no call waits for its next attempt.
    lastFailure: lastFailureSchema,
  },
);
/** Our addition to the published API; see rulings. */
export type OperationProgress = Described<typeof operationProgressSchema> & { readonly lastFailure?: LastFailure };
