import { choice, closedObject, listOf, nameText, text } from './json-schema';
import { limits } from './limits';
import {
  autoBatchPolicySchema,
  batchPolicySchema,
  retryPolicySchema,
  type AutoBatchPolicy,
  type BatchPolicy,
  type RetryPolicy,
} from './write-policies';

/** A JSON value as a record may carry it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** `delete` is single-record and synchronous only. Source: specification, Write records. */
export const writeTypes = ['create', 'update', 'delete'] as const;
export type WriteType = (typeof writeTypes)[number];

/** Omitted means synchronous: the specification is silent, see rulings. */
export const writeModes = ['synchronous', 'asynchronous'] as const;
export type RequestMode = (typeof writeModes)[number];

/** Field name to value. An update's and a delete's carry `id`, the provider's id of the record. */
export type WriteRecord = Readonly<Record<string, JsonValue>>;

/** Link of a written record to another one. HubSpot only. Source: specification, Write records, associations. */
export interface Association {
  /** The provider's id of the record to link to. */
  readonly to: { readonly id: string };
  readonly types: readonly AssociationType[];
}

export interface AssociationType {
  /** `HUBSPOT_DEFINED`, `USER_DEFINED` or `INTEGRATOR_DEFINED`; checked by the provider. */
  readonly associationCategory: string;
  readonly associationTypeId: number;
}

/** A header that goes with the provider request. Salesforce only. */
export interface ForwardedHeader {
  readonly key: string;
  readonly value: string;
}

/** One record of a batch, 1 to 100 of them. */
export interface BatchItem {
  readonly record: WriteRecord;
  readonly associations?: readonly Association[];
}

/**
 * Body of a write. Exactly one of `record` and `batch`. The schema says the shapes, `checkWriteRequest` the rules
 * between fields. Source: specification, Write records.
 */
export interface WriteRequest {
  /** The group whose installation is used. */
  readonly groupRef: string;
  readonly type: WriteType;
  /** @default 'synchronous' */
  readonly mode?: RequestMode;
  readonly record?: WriteRecord;
  /** `create` and `update` only. HubSpot and Salesforce only. */
  readonly batch?: readonly BatchItem[];
  /** Of the single record; in a batch each item has its own. */
  readonly associations?: readonly Association[];
  readonly headers?: readonly ForwardedHeader[];
  readonly batchPolicy?: BatchPolicy;
  readonly autoBatchPolicy?: AutoBatchPolicy;
  readonly retryPolicy?: RetryPolicy;
}

const recordSchema = {
  type: 'object',
  description: 'Field name to value. For update and delete it includes id, the provider id of the record.',
  maxProperties: limits.recordFieldsMax,
} as const;

const associationTypeSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['associationCategory', 'associationTypeId'],
  properties: {
    associationCategory: { ...nameText, description: 'Category of the association type, such as HUBSPOT_DEFINED.' },
    associationTypeId: { type: 'integer', minimum: 1, description: "The provider's id of the association type." },
  },
} as const;

const associationsSchema = listOf('Links of the record to others. HubSpot only.', {
  type: 'object',
  additionalProperties: false,
  required: ['to', 'types'],
  properties: {
    to: closedObject('The record to link to.', ['id'], {
      id: { ...nameText, description: "The provider's id of the record." },
    }),
    types: { type: 'array', minItems: 1, description: 'Kinds of the link.', items: associationTypeSchema },
  },
});

export const writeRequestSchema = closedObject('A write of one record or of a batch.', ['groupRef', 'type'], {
  groupRef: { ...nameText, description: 'The group whose installation is used.' },
  type: choice('What to do with the record.', writeTypes),
  mode: { type: 'string', enum: writeModes, default: 'synchronous', description: 'Whether the reply waits.' },
  record: recordSchema,
  batch: {
    type: 'array',
    description: 'Replaces record. Create and update on HubSpot and Salesforce only.',
    minItems: 1,
    maxItems: limits.batchRecordsMax,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['record'],
      properties: { record: recordSchema, associations: associationsSchema },
    },
  },
  associations: associationsSchema,
  headers: {
    type: 'array',
    description: 'Headers that go with the provider request. Salesforce only.',
    maxItems: limits.forwardedHeadersMax,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['key', 'value'],
      properties: {
        key: text('Header name.'),
        value: text('Header value.'),
      },
    },
  },
  batchPolicy: batchPolicySchema,
  autoBatchPolicy: autoBatchPolicySchema,
  retryPolicy: retryPolicySchema,
});
