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
  /** Of its installation, also of a deleted one. */
  readonly groupRef?: string;
  readonly groupName?: string;
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
  /** What keeps it from being sent; in lists, and absent while it is being sent. */
  readonly waiting?: OperationWait;
  /** How the text that was searched for names it; in such lists. */
  readonly foundBy?: readonly FoundBy[];
  readonly createTime?: string;
  readonly updateTime?: string;
}

/** A page of operations, newest first. */
export interface OperationListReply extends ListReply<Operation> {
  /** What a searched text names. Absent: none was searched for. */
  readonly search?: OperationSearchFound;
  /** Absent: they were not asked for. */
  readonly counts?: OperationCounts;
}

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

/** A text names an operation by its id, by a group, or by one of its records. */
export const foundBy = ['operation', 'group', 'recordRef', 'recordId'] as const;
export type FoundBy = (typeof foundBy)[number];

/**
 * What a write in progress waits for. `batch`: for more records, or for the moment at which it is sent. `credentials`: the provider refuses those of
 * the connection. `block`: the provider refused a call, and its account waits. `provider`: it did not answer, or could not. `retry`: for the next attempt.
 * `lookup`: it was sent, and its outcome is looked up. `order`: for an earlier write to the same record. `quota`: the account's limit is used up. `turn`: for
 * other calls of the account.
 */
export const waitReasons = [
  'batch',
  'credentials',
  'block',
  'provider',
  'retry',
  'lookup',
  'order',
  'quota',
  'turn',
] as const;

const waitSchema = openObject('What a write in progress waits for.', ['reason', 'laneId', 'provider'], {
  reason: choice('The first of them that holds.', waitReasons),
  laneId: text('Lane of the account.'),
  provider: text('Provider of the account.'),
  until: momentText('When it ends by itself: the latest one of a batch, the end of a block, the next attempt.'),
  since: momentText('Of credentials: when they were refused.'),
  records: count('Of a batch: records that it has.'),
  status: count('Of a provider: the status of its last reply; absent: there was none.'),
});
export type OperationWait = Described<typeof waitSchema>;

export const operationSchema = openObject(
  'A write as its caller tracks it.',
  ['id', 'projectId', 'integrationId', 'installationId', 'configId', 'actionType', 'status'],
  {
    id: text('Operation id.'),
    projectId: text('Project of the operation.'),
    integrationId: text('Integration of the operation.'),
    installationId: text('Installation of the operation.'),
    groupRef: text('Group of the installation.'),
    groupName: text('Name of the group.', 'Acme GmbH'),
    configId: text('The config in force.'),
    actionType: { ...choice('Kind of action.', ['read', 'write', 'subscribe']), examples: ['write'] },
    status: choice('Its state.', ['success', 'failure', 'in_progress']),
    result: text('What happened, in words.'),
    resource: text('Name of the object acted on.', 'contacts'),
    metadata: metadataSchema,
    waiting: {
      ...waitSchema,
      description: 'What keeps it from being sent; in lists, and absent while it is being sent.',
    },
    foundBy: listOf('How the text that was searched for names it.', choice('A way.', foundBy)),
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

/** Groups that one text names at most. Our choice: more are a reason to type on. */
export const foundGroupsMax = 20;

const searchFoundSchema = openObject('What the searched text names.', ['groups', 'hasMoreGroups'], {
  groups: listOf(
    `Groups whose ref or name begins so, at most ${foundGroupsMax}.`,
    openObject('A group.', ['groupRef', 'groupName'], { groupRef: text('Its ref.'), groupName: text('Its name.') }),
  ),
  hasMoreGroups: flag('Whether more groups begin so; their operations are not in the list.'),
  recordsSearchedSince: momentText(
    'Records of operations that were accepted since then were searched; the next page goes further back. Absent: all were.',
  ),
});
export type OperationSearchFound = Described<typeof searchFoundSchema>;

/** Operations that are counted at most, the newest of those in question. Our choice: a few milliseconds. */
export const countedOperationsMax = 10_000;

/** Where the records of an operation that has not ended are counted by the overview. */
export const openKinds = ['waiting', 'filling', 'held'] as const;
export type OpenKind = (typeof openKinds)[number];

/** Characters by which a sentence of a problem is told from others. Our choice: it fits into an address. */
export const problemTextCharactersMax = 200;

const countsSchema = openObject(
  `How the operations stand, whatever status the list is filtered by; of the newest ${countedOperationsMax} in question.`,
  ['inProgress', 'success', 'partial', 'failure', 'isAtLeast'],
  {
    inProgress: count('Not ended.'),
    success: count('All records written.'),
    partial: count('Some records written, and some not.'),
    failure: count('No record written.'),
    isAtLeast: flag('Whether there are more than were counted.'),
  },
);
export type OperationCounts = Described<typeof countsSchema>;

export const operationListReplySchema = openObject('A page of operations, newest first.', ['results', 'pagination'], {
  results: listOf('The operations.', operationSchema),
  pagination: paginationSchema,
  search: searchFoundSchema,
  counts: countsSchema,
});

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
