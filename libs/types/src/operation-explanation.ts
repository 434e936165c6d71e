import type { FailureClass } from '@sluice/errors';
import { moment } from './json-schema';
import {
  operationSchema,
  paginationSchema,
  type Operation,
  type Pagination,
  type CallState,
  type OperationStatus,
} from './operation';
import type { OperationRecord } from './operation-record';
import type { WritePlan } from './write-plan';
import type { WriteType } from './write-request';

/**
 * What happened to each record of an operation and why: its plan, its call, every attempt with the provider's answer, its outcome.
 * Holds no field value: of a value only its form is told. Ours, besides the published API; see rulings.
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

const text = (description: string) => ({ type: 'string', description }) as const;
const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;
const at = (description: string) => ({ ...moment, description }) as const;
const indexes = { type: 'array', description: 'Indexes of its records.', items: { type: 'integer' } } as const;
const failure = {
  type: 'object',
  description: 'Why it failed.',
  required: ['class', 'message'],
  properties: { class: text('Coarse class of the failure.'), message: text('In words.') },
} as const;

const attemptSchema = {
  type: 'object',
  description: 'One send of a call, with what came back.',
  required: ['number', 'sentAt', 'recordIndexes'],
  properties: {
    number: count('Of its call, from 1.'),
    sentAt: at('When it left.'),
    finishedAt: at('When the answer was recorded; absent: none was.'),
    durationMs: count('Time of the attempt, in milliseconds.'),
    status: count("The provider's status."),
    providerRequestId: text("The provider's id of the request."),
    error: failure,
    isLate: { type: 'boolean', description: 'The answer came after the call had been given up.' },
    recordIndexes: indexes,
  },
} as const;

const noteSchema = {
  type: 'object',
  description: 'A decision about a field.',
  required: ['field', 'reason', 'sent'],
  properties: {
    field: text('Name as the request or the setting spells it.'),
    providerField: text("The provider's name of the field."),
    reason: text('Why it is written or not.'),
    sent: { type: 'boolean', description: 'Whether it is written.' },
  },
} as const;

const planSchema = {
  type: 'object',
  description: 'What is written, without values; absent when it is no longer kept.',
  required: ['objectName', 'fields'],
  properties: {
    objectName: text("The provider's object."),
    recordId: text('The record that is updated or deleted.'),
    fields: {
      type: 'object',
      description: 'Provider field name to the form of its value.',
      additionalProperties: { type: 'string' },
    },
    ifEmpty: { type: 'array', description: 'Fields written only while empty.', items: { type: 'string' } },
    notes: { type: 'array', description: 'Defaults, mappings and what was left out.', items: noteSchema },
    associations: count('Links that are made.'),
    headers: { type: 'array', description: 'Names of forwarded headers.', items: { type: 'string' } },
  },
} as const;

const recordSchema = {
  type: 'object',
  description: 'A record, its plan and its outcome.',
  required: ['index', 'status', 'sendState', 'configId'],
  properties: {
    index: count('Place in the operation.'),
    ref: text('What the caller sent as Sluice-Record-Ref.'),
    call: count('The call that it is in.'),
    status: { type: 'string', enum: ['pending', 'succeeded', 'failed', 'unknown'], description: 'Its outcome.' },
    sendState: { type: 'string', enum: ['none', 'sent', 'maybe'], description: 'Whether it has left.' },
    retryUntil: at('Until when it is tried again.'),
    configId: text('Config that it was planned with.'),
    recordId: text("The provider's id."),
    error: failure,
    warnings: { type: 'array', description: 'What to know besides.', items: { type: 'string' } },
    replayedBy: text('The operation that a replay made of it.'),
    plan: planSchema,
  },
} as const;

/** Schema of the reply. */
export const operationExplanationSchema = {
  type: 'object',
  description: 'What happened to each record of an operation and why.',
  required: ['operation', 'provider', 'type', 'mode', 'calls', 'records', 'pagination'],
  properties: {
    operation: operationSchema,
    provider: text('The SaaS provider.'),
    type: { type: 'string', enum: ['create', 'update', 'delete'], description: 'Kind of write.' },
    mode: {
      type: 'string',
      enum: ['synchronous', 'asynchronous', 'auto-batched'],
      description: 'How it was asked for.',
    },
    batch: {
      type: 'object',
      description: 'Of an auto-batched write.',
      required: ['dueAt', 'isFull'],
      properties: {
        dueAt: at('When the batch leaves at the latest.'),
        isFull: { type: 'boolean', description: 'Whether 100 records filled it.' },
      },
    },
    cancelRequestedAt: at('When a cancel was asked for.'),
    laneBlockedUntil: at('Nothing of the provider account is sent before.'),
    calls: {
      type: 'array',
      description: 'The provider calls, by number.',
      items: {
        type: 'object',
        description: 'A provider call.',
        required: ['number', 'state', 'allOrNone', 'attempts'],
        properties: {
          number: count('From 1.'),
          state: {
            type: 'string',
            enum: ['ready', 'running', 'in_doubt', 'waiting', 'done', 'quarantined'],
            description: 'Where it stands.',
          },
          allOrNone: { type: 'boolean', description: 'Whether the provider undoes all when one fails.' },
          notBefore: at('When it is tried next.'),
          attempts: { type: 'array', description: 'Oldest first.', items: attemptSchema },
        },
      },
    },
    records: { type: 'array', description: 'The records, by index; a page ends at 1 MB.', items: recordSchema },
    pagination: paginationSchema,
  },
} as const;

/**
 * An operation as `sluice op export` writes it and an executor's `replay` reads it: plans and decisions without values, credentials,
 * words of a provider or references of a caller. Milliseconds count from its accept.
 */
export interface OperationExport extends Pick<OperationExplanation, 'provider' | 'type' | 'mode'> {
  readonly format: 'sluice-operation-1';
  readonly operationId: string;
  readonly status: OperationStatus;
  /** Of an auto-batch: 100 records filled it. */
  readonly isFullBatch?: boolean;
  readonly calls: readonly ExportedCall[];
  readonly records: readonly ExportedRecord[];
}

export interface ExportedCall extends Pick<OperationExplanation['calls'][number], 'number' | 'state' | 'allOrNone'> {
  readonly attempts: readonly ExportedAttempt[];
}

export interface ExportedAttempt extends Pick<
  ExplainedAttempt,
  'number' | 'durationMs' | 'status' | 'isLate' | 'recordIndexes'
> {
  readonly sentAtMs: number;
  /** Absent: no answer was recorded. */
  readonly finishedAtMs?: number;
  /** Class of the first failure of the answer; absent: none failed. */
  readonly class?: NonNullable<ExplainedAttempt['error']>['class'];
}

export interface ExportedRecord extends Pick<ExplainedRecord, 'index' | 'call' | 'status' | 'sendState'> {
  readonly class?: NonNullable<ExplainedRecord['error']>['class'];
  readonly retryUntilMs?: number;
  /** Its `recordId` stands for the id, and is spelled like it: a connector takes it for one. Absent: it was no longer kept. */
  readonly plan?: ExplainedPlan;
}
