import type { FailureClass } from '@sluice/errors';
import { identifiedBySchema } from './identified-by';
import { choice, count, flag, listOf, mapOf, momentText, openObject, text } from './json-schema';
import { heldConnectionSchema, type HeldConnection } from './lane';
import { operationSchema, paginationSchema, type Operation, type Pagination, type CallState } from './operation';
import type { OperationRecord } from './operation-record';
import { recordProblemSchema } from './record-problem';
import type { WritePlan } from './write-plan';
import type { WriteType } from './write-request';

/**
 * What happened to each record of an operation and why: its plan, its call, every attempt with the provider's answer, its outcome.
 * Of a field's value only its form is shown, but for `identifiedBy`. Our addition to the published API; see rulings.
 */
export interface OperationExplanation {
  readonly operation: Operation;
  readonly provider: string;
  readonly type: WriteType;
  readonly mode: 'synchronous' | 'asynchronous' | 'auto-batched';
  /** Of an auto-batched write: when its batch leaves at the latest, and whether 100 records filled it before. */
  readonly batch?: { readonly dueAt: string; readonly isFull: boolean };
  readonly cancelRequestedAt?: string;
  /** Nothing of the provider account is sent before; absent: it is open. */
  readonly laneBlockedUntil?: string;
  /** The provider refuses its connection: what is not decided waits for new credentials. Absent: it does not, or all is decided. */
  readonly held?: HeldConnection;
  /** By number. */
  readonly calls: readonly ExplainedCall[];
  /** By index; of a large operation a page of them. */
  readonly records: readonly ExplainedRecord[];
  readonly pagination: Pagination;
}

export interface ExplainedCall {
  /** From 1. */
  readonly number: number;
  readonly state: CallState;
  readonly allOrNone: boolean;
  /** Of a call that waits for its moment. */
  readonly notBefore?: string;
  /** Oldest first; of an operation the newest 1,000. */
  readonly attempts: readonly ExplainedAttempt[];
}

/** One send of a call, with what came back. */
export interface ExplainedAttempt {
  /** Of its call, from 1. */
  readonly number: number;
  readonly sentAt: string;
  /** Absent: no answer was recorded. */
  readonly finishedAt?: string;
  readonly durationMs?: number;
  /** The provider's. */
  readonly status?: number;
  readonly providerRequestId?: string;
  /** The first failure of the answer, in the provider's words; absent: none failed. */
  readonly error?: { readonly class: ExplainedClass; readonly message: string };
  /** The answer came after the call had been given up, and was kept as evidence. */
  readonly isLate?: true;
  readonly recordIndexes: readonly number[];
}

type ExplainedClass = FailureClass | 'deadline' | 'cancelled' | 'quarantined';

export interface ExplainedRecord extends OperationRecord {
  /** The call that it is in; absent while its batch collects. */
  readonly call?: number;
  /** Whether bytes of it have left: `maybe` of a created record means that it was found, not answered. */
  readonly sendState: 'none' | 'sent' | 'maybe';
  /** Until when it is tried again; absent while its batch collects. */
  readonly retryUntil?: string;
  /** Config that it was planned with. */
  readonly configId: string;
  /** Absent: it is no longer kept. */
  readonly plan?: ExplainedPlan;
}

export interface ExplainedPlan extends Pick<WritePlan, 'objectName' | 'recordId' | 'ifEmpty' | 'notes'> {
  /** Provider field name to the form of its value: `string(12)`, `number`, `list(2)`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly associations?: number;
  /** Names of the forwarded headers. */
  readonly headers?: readonly string[];
}

const indexes = listOf('Indexes of its records.', { type: 'integer' });
const failure = openObject('Why it failed.', ['class', 'message'], {
  class: text('Coarse class of the failure.'),
  message: text('In words.'),
});

const attemptSchema = openObject('One send of a call, with its reply.', ['number', 'sentAt', 'recordIndexes'], {
  number: count('Of its call, from 1.'),
  sentAt: momentText('When it left.'),
  finishedAt: momentText('When the answer was recorded; absent: none was.'),
  durationMs: count('Time of the attempt, in milliseconds.'),
  status: count("The provider's status."),
  providerRequestId: text("The provider's id of the request."),
  error: failure,
  isLate: flag('The answer came after the call had been given up.'),
  recordIndexes: indexes,
});

const noteSchema = openObject('A decision about a field.', ['field', 'reason', 'sent'], {
  field: text('Name as the request or the setting spells it.'),
  providerField: text("The provider's name of the field."),
  reason: text('The reason for writing or omitting it.'),
  sent: flag('Whether it is written.'),
});

const planSchema = openObject(
  'The written fields, without values; absent when they are no longer kept.',
  ['objectName', 'fields'],
  {
    objectName: text("The provider's object."),
    recordId: text('The record that is updated or deleted.'),
    fields: mapOf('Provider field name to the form of its value.', { type: 'string' }),
    ifEmpty: listOf('Fields written only while empty.', { type: 'string' }),
    notes: listOf('Defaults, mappings and omitted fields.', noteSchema),
    associations: count('Links that are made.'),
    headers: listOf('Names of forwarded headers.', { type: 'string' }),
  },
);

const recordSchema = openObject('A record, its plan and its outcome.', ['index', 'status', 'sendState', 'configId'], {
  index: count('Index in the operation.'),
  ref: text('What the caller sent as Sluice-Record-Ref.'),
  call: count('The call that it is in.'),
  status: choice('Its outcome.', ['pending', 'succeeded', 'failed', 'unknown']),
  sendState: choice('Whether it has left.', ['none', 'sent', 'maybe']),
  retryUntil: momentText('Until when it is tried again.'),
  configId: text('Config that it was planned with.'),
  recordId: text("The provider's id."),
  identifiedBy: identifiedBySchema,
  error: failure,
  problems: listOf('Why it was not written, one for each field at fault.', recordProblemSchema),
  warnings: listOf('Warnings.', { type: 'string' }),
  replayedBy: text('The operation of its replay.'),
  plan: planSchema,
});

export const operationExplanationSchema = openObject(
  'What happened to each record of an operation and why.',
  ['operation', 'provider', 'type', 'mode', 'calls', 'records', 'pagination'],
  {
    operation: operationSchema,
    provider: text('The SaaS provider.'),
    type: choice('Kind of write.', ['create', 'update', 'delete']),
    mode: choice('How it was asked for.', ['synchronous', 'asynchronous', 'auto-batched']),
    batch: openObject('Of an auto-batched write.', ['dueAt', 'isFull'], {
      dueAt: momentText('When the batch leaves at the latest.'),
      isFull: flag('Whether 100 records filled it.'),
    }),
    cancelRequestedAt: momentText('When a cancel was asked for.'),
    laneBlockedUntil: momentText('Nothing of the provider account is sent before.'),
    held: heldConnectionSchema,
    calls: listOf(
      'The provider calls, by number.',
      openObject('A provider call.', ['number', 'state', 'allOrNone', 'attempts'], {
        number: count('From 1.'),
        state: choice('Its state.', ['ready', 'running', 'in_doubt', 'waiting', 'done', 'quarantined']),
        allOrNone: flag('Whether the provider undoes all when one fails.'),
        notBefore: momentText('When it is tried next.'),
        attempts: listOf('Oldest first.', attemptSchema),
      }),
    ),
    records: listOf('The records, by index; a page ends at 1 MB.', recordSchema),
    pagination: paginationSchema,
  },
);
