import { moment } from './json-schema';
import type { OperationStatus } from './states';

/**
 * What a caller tracks: a write of one record, a batch or an auto-batch. Source: specification, Operation;
 * `metadata`: published API.
 */
export interface Operation {
  readonly id: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
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

export interface OperationMetadata {
  readonly objects?: readonly string[];
  readonly retry?: { readonly attempts?: number; readonly lastAttempt?: string };
  readonly successfulRecordIds?: readonly string[];
}

/** A page of operations, newest first. */
export interface OperationListReply {
  readonly results: readonly Operation[];
  readonly pagination: Pagination;
}

/** `nextPageToken` is absent when `done`. */
export interface Pagination {
  readonly done: boolean;
  readonly nextPageToken?: string;
}

/** One line of an operation's log. Source: published API. */
export interface Log {
  readonly timestamp: string;
  /** `INFO`, `WARN` or `ERROR`. */
  readonly severity: string;
  readonly message: LogMessage;
}

export interface LogMessage {
  readonly msg: string;
  readonly error?: string;
  readonly operation_id?: string;
  readonly details?: Readonly<Record<string, string>>;
}

const metadataSchema = {
  type: 'object',
  description: 'More about the operation.',
  properties: {
    objects: { type: 'array', description: 'Objects acted on.', items: { type: 'string' } },
    retry: {
      type: 'object',
      description: 'How often it was tried.',
      properties: {
        attempts: { type: 'integer', minimum: 0, description: 'Provider calls made.' },
        lastAttempt: { ...moment, description: 'When the last one was made.' },
      },
    },
    successfulRecordIds: { type: 'array', description: 'Provider ids of written records.', items: { type: 'string' } },
  },
} as const;

/** Schema of the resource in replies. */
export const operationSchema = {
  type: 'object',
  description: 'A write as its caller tracks it.',
  required: ['id', 'projectId', 'integrationId', 'installationId', 'configId', 'actionType', 'status'],
  properties: {
    id: { type: 'string', description: 'Operation id.' },
    projectId: { type: 'string', description: 'Project of the operation.' },
    integrationId: { type: 'string', description: 'Integration of the operation.' },
    installationId: { type: 'string', description: 'Installation of the operation.' },
    configId: { type: 'string', description: 'The config in force.' },
    actionType: { type: 'string', enum: ['read', 'write', 'subscribe'], description: 'Kind of action.' },
    status: { type: 'string', enum: ['success', 'failure', 'in_progress'], description: 'Where it stands.' },
    result: { type: 'string', description: 'What happened, in words.' },
    resource: { type: 'string', description: 'Name of the object acted on.' },
    metadata: metadataSchema,
    createTime: { ...moment, description: 'When it was accepted.' },
    updateTime: { ...moment, description: 'When it last changed.' },
  },
} as const;

/** Where a list stands; in replies of paged lists. */
export const paginationSchema = {
  type: 'object',
  description: 'Where the list stands.',
  required: ['done'],
  properties: {
    done: { type: 'boolean', description: 'Whether this is the last page.' },
    nextPageToken: { type: 'string', description: 'For the next page; absent on the last one.' },
  },
} as const;

/** Schema of a page of operations. */
export const operationListReplySchema = {
  type: 'object',
  description: 'A page of operations, newest first.',
  required: ['results', 'pagination'],
  properties: {
    results: { type: 'array', description: 'The operations.', items: operationSchema },
    pagination: paginationSchema,
  },
} as const;

/** Schema of one line of an operation's log. */
export const logSchema = {
  type: 'object',
  description: "A line of an operation's log.",
  required: ['timestamp', 'severity', 'message'],
  properties: {
    timestamp: { ...moment, description: 'When it happened.' },
    severity: { type: 'string', description: 'INFO, WARN or ERROR.' },
    message: {
      type: 'object',
      description: 'What happened.',
      required: ['msg'],
      properties: {
        msg: { type: 'string', description: 'One sentence.' },
        error: { type: 'string', description: "The provider's error." },
        operation_id: { type: 'string', description: 'Operation id.' },
        details: { type: 'object', description: 'More.', additionalProperties: { type: 'string' } },
      },
    },
  },
} as const;
