import type { Issue, ProblemCode } from '@sluice/errors';
import { checkNames, pathOf } from './field-names';
import { choice, closedObject, listOf, nameText, text, type Described } from './json-schema';
import { limits } from './limits';
import { bodyIssue } from './problem';
import {
  type AutoBatchPolicy,
  autoBatchPolicySchema,
  type BatchPolicy,
  batchPolicySchema,
  type RetryPolicy,
  retryPolicySchema,
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
    // `HUBSPOT_DEFINED`, `USER_DEFINED` or `INTEGRATOR_DEFINED`; checked by the provider.
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
/** Link of a written record to another one. HubSpot only. Source: specification, Write records, associations. */
export type Association = Described<typeof associationsSchema>[number];
export type AssociationType = Association['types'][number];

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

/** Ends the detail of each issue that this one change resolves. Same words as the problem registry. */
const modeRemedy = 'add "mode": "asynchronous"';

/**
 * The rules between the fields of a write that a schema cannot say well. Call it with a body the schema accepts.
 * At most 20 issues, each detail continues the field's name; none means the request is valid.
 * Source: specification, Write records; design 6.
 */
export function checkWriteRequest(body: WriteRequest): Issue[] {
  const issues = [
    ...checkForm(body),
    ...(body.type === 'delete' ? checkDelete(body) : checkPolicies(body)),
    ...checkRecords(body),
    ...checkForwardedHeaders(body.headers ?? []),
  ];
  return issues.slice(0, limits.issuesMax);
}

/** `write.mode-required` when asynchronous mode is all that is missing, else `request.invalid`. Takes at least one issue. */
export function codeOfWriteIssues(issues: readonly Issue[]): ProblemCode {
  return issues.every(({ detail }) => detail.endsWith(modeRemedy)) ? 'write.mode-required' : 'request.invalid';
}

function checkForm({ type, record, batch, associations }: WriteRequest): Issue[] {
  if (!record && !batch) {
    return [bodyIssue('record', type === 'delete' ? 'is required' : 'is required, or batch instead')];
  }
  const issues: Issue[] = [];
  if (record && batch) issues.push(bodyIssue('batch', 'cannot be combined with record'));
  if (batch && associations) issues.push(bodyIssue('associations', 'must stand on each item of batch'));
  return issues;
}

function checkPolicies({ mode, batch, batchPolicy, autoBatchPolicy, retryPolicy }: WriteRequest): Issue[] {
  const isAsynchronous = mode === 'asynchronous';
  const issues: Issue[] = [];
  if (autoBatchPolicy && !isAsynchronous) {
    issues.push(bodyIssue('autoBatchPolicy', `needs asynchronous mode: ${modeRemedy}`));
  }
  if (retryPolicy && !isAsynchronous) issues.push(bodyIssue('retryPolicy', `needs asynchronous mode: ${modeRemedy}`));
  if (autoBatchPolicy && batch) issues.push(bodyIssue('autoBatchPolicy', 'is for a single record, not for batch'));
  if (batchPolicy && !batch) issues.push(bodyIssue('batchPolicy', 'is for batch only'));
  return issues;
}

function checkDelete(body: WriteRequest): Issue[] {
  const issues: Issue[] = [];
  if (body.mode === 'asynchronous')
    issues.push(bodyIssue('mode', 'must be synchronous: a delete always is', body.mode));
  for (const name of ['batch', 'associations', 'batchPolicy', 'autoBatchPolicy', 'retryPolicy'] as const) {
    if (body[name] !== undefined)
      issues.push(bodyIssue(name, 'cannot be used with a delete: it takes a single record and no policy'));
  }
  for (const name of Object.keys(body.record ?? {})) {
    if (name !== 'id' && issues.length < limits.issuesMax)
      issues.push(bodyIssue(pathOf('record', name), 'is not allowed: the record of a delete holds only id'));
  }
  return issues;
}

function checkRecords({ type, record, batch }: WriteRequest): Issue[] {
  const issues = record ? checkRecord(type, record, 'record') : [];
  for (const [index, item] of (batch ?? []).entries()) {
    if (issues.length >= limits.issuesMax) break;
    issues.push(...checkRecord(type, item.record, `${pathOf('batch', index)}.record`));
  }
  return issues;
}

function checkRecord(type: WriteType, record: WriteRecord, path: string): Issue[] {
  const count = Object.keys(record).length;
  if (count > limits.recordFieldsMax)
    return [bodyIssue(path, `holds more than ${limits.recordFieldsMax} fields`, count)];
  if (count === 0 && type === 'create') return [bodyIssue(path, 'must hold at least one field')];
  const issues = checkNames(record, path);
  if (type !== 'create' && recordIdOf(record) === undefined) issues.push(idIssue(type, record, path));
  return issues;
}

function idIssue(type: WriteType, record: WriteRecord, path: string): Issue {
  const value = Object.hasOwn(record, 'id') ? record['id'] : undefined;
  const form = `1 to ${limits.nameCharactersMax} characters without NUL, or a whole number`;
  const detail =
    value === undefined ? `is required for ${type}: the provider's id of the record` : `must be an id: ${form}`;
  return bodyIssue(`${path}.id`, detail, typeof value === 'string' ? value.slice(0, 80) : scalar(value));
}

function scalar(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? undefined : value;
}

const { forwardedHeaderNameCharactersMax: nameMax } = limits;

/** A token of RFC 7230, section 3.2.6. */
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII; blanks and tabs inside. Other bytes are obsolete in RFC 7230, section 3.2. */
const valueForm = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Headers that a caller may not set, one line per reason. The connection to the provider (hop-by-hop, RFC 9110, section 7.6.1), its credentials, the
 * body and the form of the reply. The route to the provider, a change of the method, headers of this service, and the name of the client, which is
 * ours.
 */
const refused: readonly RegExp[] = [
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/,
  /^(authorization|cookie2?|set-cookie)$/,
  /^(content-.*|accept|accept-encoding|accept-charset)$/,
  /^(via|forwarded|x-forwarded-.*|x-real-ip)$/,
  /^x-(http-)?method(-override)?$/,
  /^(x-api-key|idempotency-key|sluice-.*|x-sluice-.*|x-request-id|traceparent|tracestate|baggage)$/,
  /^user-agent$/,
];

/**
 * Rules of forwarded headers: names, values, refused names, each once, 20 of them, 8 KB together. The one list: what a request
 * may carry, and what a connector sends of a request that was stored earlier. Source: design 6.
 */
export function checkForwardedHeaders(headers: readonly ForwardedHeader[]): Issue[] {
  const issues = headers.flatMap((header, index) => [
    ...checkHeader(header, pathOf('headers', index)),
    ...checkOnce(headers, index),
  ]);
  const bytes = headers.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (headers.length > limits.forwardedHeadersMax) {
    issues.push(bodyIssue('headers', `must have at most ${limits.forwardedHeadersMax} items`, headers.length));
  }
  if (bytes > limits.forwardedHeadersBytesMax) {
    issues.push(
      bodyIssue(
        'headers',
        `must have at most ${limits.forwardedHeadersBytesMax} bytes of names and values together`,
        bytes,
      ),
    );
  }
  return issues;
}

// Values are never shown: a header may carry a secret.
function checkHeader({ key, value }: ForwardedHeader, path: string): Issue[] {
  const issues: Issue[] = [];
  if (key.length > nameMax)
    issues.push(bodyIssue(`${path}.key`, `must have at most ${nameMax} characters`, key.length));
  else if (!nameForm.test(key))
    issues.push(bodyIssue(`${path}.key`, 'must be a header name (RFC 7230)', key.slice(0, 80)));
  else if (isRefused(key)) issues.push(bodyIssue(`${path}.key`, 'is a header that is not forwarded', key));
  if (value !== '' && !valueForm.test(value))
    issues.push(bodyIssue(`${path}.value`, 'must be visible ASCII characters'));
  return issues;
}

function isRefused(key: string): boolean {
  const name = key.toLowerCase();
  return refused.some((form) => form.test(name));
}

/** Which of two values would count is the provider's secret. */
function checkOnce(headers: readonly ForwardedHeader[], index: number): Issue[] {
  const name = headers[index]?.key.toLowerCase();
  const first = headers.findIndex(({ key }) => key.toLowerCase() === name);
  return first === index ? [] : [bodyIssue(`${pathOf('headers', index)}.key`, `repeats headers[${first}]`, name)];
}

/**
 * The provider's id of a record, from its `id` field. A whole number counts as its digits: HubSpot ids look like
 * numbers and callers send them so. Undefined: absent, empty, too long, with a NUL, or of another type.
 */
export function recordIdOf(record: Readonly<Record<string, unknown>>): string | undefined {
  const id = Object.hasOwn(record, 'id') ? record['id'] : undefined;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id >= 0 ? String(id) : undefined;
  const isText = typeof id === 'string' && id !== '' && id.length <= limits.nameCharactersMax && !id.includes('\0');
  return isText ? id : undefined;
}
