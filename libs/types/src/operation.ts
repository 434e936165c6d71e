import { choice, count, flag, listOf, mapOf, momentText, openObject, text, type Described } from './json-schema';

/**
 * What a caller tracks: a write of one record, a batch or an auto-batch. Source: specification, Operation;
 * `metadata`: published API.
 */
export interface Operation {
  readonly id: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
  /** Of its installation, also of a deleted one; in lists. */
  readonly groupRef?: string;
  /** Of an auto-batch: the config of its first record. */
  readonly configId: string;
  readonly actionType: 'read' | 'write' | 'subscribe';
  /** `success` when at least one record was written. */
  readonly status: OperationStatus;
  /** What happened, in words; absent while in progress. */
  readonly result?: string;
  /** Name of the object acted on. */
  readonly resource?: string;
  readonly metadata?: OperationMetadata;
  readonly createTime?: string;
  readonly updateTime?: string;
}

/** A page of operations, newest first. */
export type OperationListReply = ListReply<Operation>;

/** A page of a list. */
export interface ListReply<Item> {
  readonly results: readonly Item[];
  readonly pagination: Pagination;
}

const metadataSchema = openObject('More about the operation.', {
  objects: listOf('Objects acted on.', { type: 'string' }),
  retry: openObject('How often it was tried.', {
    attempts: count('Provider calls made.'),
    lastAttempt: momentText('When the last one was made.'),
  }),
  successfulRecordIds: listOf('Provider ids of written records.', { type: 'string' }),
  // Absent while its batch collects. What is neither written nor failed is not decided yet.
  records: openObject('How its records ended so far.', ['total', 'succeeded', 'failed'], {
    total: count('All of them.'),
    succeeded: count('Written.'),
    failed: count('Not written, or not known whether written.'),
  }),
});
export type OperationMetadata = Described<typeof metadataSchema>;

export const operationSchema = openObject(
  'A write as its caller tracks it.',
  ['id', 'projectId', 'integrationId', 'installationId', 'configId', 'actionType', 'status'],
  {
    id: text('Operation id.'),
    projectId: text('Project of the operation.'),
    integrationId: text('Integration of the operation.'),
    installationId: text('Installation of the operation.'),
    groupRef: text('Group of the installation; in lists.'),
    configId: text('The config in force.'),
    actionType: { ...choice('Kind of action.', ['read', 'write', 'subscribe']), examples: ['write'] },
    status: choice('Its state.', ['success', 'failure', 'in_progress']),
    result: text('What happened, in words.'),
    resource: text('Name of the object acted on.', 'contacts'),
    metadata: metadataSchema,
    createTime: momentText('When it was accepted.'),
    updateTime: momentText('When it last changed.'),
  },
);

/** Where a list stands; in replies of paged lists. */
export const paginationSchema = openObject('The position in the list.', ['done'], {
  done: flag('Whether this is the last page.'),
  nextPageToken: text('For the next page; absent on the last one.'),
});
/** `nextPageToken` is absent when `done`. */
export type Pagination = Described<typeof paginationSchema>;

/** Schema of a page of these items. */
export function pageOf<const Item extends object>(description: string, results: string, item: Item) {
  return openObject(description, ['results', 'pagination'], {
    results: listOf(results, item),
    pagination: paginationSchema,
  });
}

export const operationListReplySchema = pageOf(
  'A page of operations, newest first.',
  'The operations.',
  operationSchema,
);

export const logSchema = openObject("A line of an operation's log.", ['timestamp', 'severity', 'message'], {
  timestamp: momentText('When it happened.'),
  severity: text('INFO, WARN or ERROR.', 'ERROR'),
  message: openObject('What happened.', ['msg'], {
    msg: text('One sentence.', '1 record ended as failed (rejected).'),
    error: text("The provider's error."),
    operation_id: text('Operation id.'),
    details: mapOf('More.', { type: 'string' }),
  }),
});
/** Source: published API. */
export type Log = Described<typeof logSchema>;
export type LogMessage = Log['message'];

/**
 * The states of an operation and of a call, and every transition that may happen to them, as data.
 * Source: specification "States and transitions"; the internal states are ours.
 */

/** What a caller sees. Source: specification, Operation. */
export type OperationStatus = 'in_progress' | 'success' | 'failure';

/**
 * `accumulating` collects records of an auto-batch. `queued` has its calls. The last two are final, with one exception: a late reply may name a
 * record that another create had adopted, and that create loses it.
 */
export type OperationState = 'accumulating' | 'queued' | 'succeeded' | 'failed';

/**
 * `ready` waits until it is due, `running` has a lease, `in_doubt` was sent and its outcome is not known. `waiting` is behind an earlier write to the
 * same record. `done` and `quarantined` are final.
 */
export type CallState = 'ready' | 'running' | 'in_doubt' | 'waiting' | 'done' | 'quarantined';

/** `unknown` is final too: it cannot be found out whether the provider wrote the record. */
export const recordOutcomes = ['pending', 'succeeded', 'failed', 'unknown'] as const;
export type RecordOutcome = (typeof recordOutcomes)[number];

/** Whether bytes of a record have left: `maybe` means an attempt ended without a readable reply. */
export type SendState = 'none' | 'sent' | 'maybe';

const statuses: Record<OperationState, OperationStatus> = {
  accumulating: 'in_progress',
  queued: 'in_progress',
  succeeded: 'success',
  failed: 'failure',
};

/** The public status of an internal state. */
export function statusOf(state: OperationState): OperationStatus {
  return statuses[state];
}
