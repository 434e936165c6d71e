import type { InputRefusal, WireReply } from '../control/imitated-provider';
import { edgePage, emptyReply, WireError, type Headers } from '../crm/api-call';

const jsonType = 'application/json;charset=UTF-8';

export function jsonReply(status: number, body: unknown, headers: Headers = {}): WireReply {
  return { status, headers: { 'content-type': jsonType, ...headers }, payload: JSON.stringify(body) };
}

export const errorReply = (error: SalesforceError, headers: Headers = {}): WireReply =>
  jsonReply(error.status, error.body(), headers);

/** Text that is not JSON: a page from the edge, or the word of an OAuth endpoint. */
export function textReply(status: number, payload: string): WireReply {
  const type = payload.startsWith('<') ? 'text/html;charset=UTF-8' : 'text/plain';
  return { status, headers: { 'content-type': type }, payload };
}

/** One reason why Salesforce refuses a call or a record. */
export interface Problem {
  /** `errorCode` of a call that failed, `statusCode` of an item of a collection. */
  readonly code: string;
  readonly message: string;
  /** Fields it is about; absent where Salesforce sends no list at all. */
  readonly fields?: readonly string[];
  /** Further members of the body of a single call; a collection leaves them out. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export type Problems = readonly [Problem, ...Problem[]];

export class SalesforceError extends WireError {
  readonly problems: Problems;

  constructor(status: number, ...problems: Problems) {
    super(status, problems[0].message);
    this.problems = problems;
  }

  /** An array, member order as recorded. */
  body(): unknown[] {
    return this.problems.map(({ code, message, fields, extra }) => ({
      ...extra,
      message,
      errorCode: code,
      ...(fields ? { fields } : {}),
    }));
  }
}

/** 400 with one code. */
export const badRequest = (code: string, message: string): SalesforceError =>
  new SalesforceError(400, { code, message });

/** The address, or the record it names, does not exist. */
export const notFound = (message = 'The requested resource does not exist'): SalesforceError =>
  new SalesforceError(404, { code: 'NOT_FOUND', message });

/** The version in the address has ended. */
export const versionOver = (): SalesforceError =>
  new SalesforceError(410, { code: 'UNSUPPORTED_API_VERSION', message: 'Invalid Api version specified on URL' });

/** The session of a call is unknown or has ended. */
export const invalidSession: Problem = { code: 'INVALID_SESSION_ID', message: 'Session expired or invalid' };

export const recordDeleted: Problem = { code: 'ENTITY_IS_DELETED', message: 'entity is deleted', fields: [] };

/** An id that no record has. */
export const unknownReference = (fields: readonly string[]): Problem => ({
  code: 'INVALID_CROSS_REFERENCE_KEY',
  message: 'invalid cross reference id',
  fields,
});

/** A SOQL text that does not parse, or requests what SOQL forbids. */
export const malformedQuery = (message: string): SalesforceError => badRequest('MALFORMED_QUERY', message);

/** The body is not JSON, or a value in it has the wrong type for its field. */
export const unreadable = (message: string): SalesforceError => badRequest('JSON_PARSER_ERROR', message);

const ADVICE =
  "If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. " +
  'Please reference your WSDL or the describe call for the appropriate names.';

/** A read that names a field which the object lacks, or which the user cannot see. */
export function noSuchColumn(field: string, object: string): Problem {
  return { code: 'INVALID_FIELD', message: `No such column '${field}' on entity '${object}'. ${ADVICE}` };
}

/** A query or a collection that names an object which does not exist. */
export function unsupportedType(object: string): Problem {
  const advice = ADVICE.replace('custom field,', 'custom object,').replace('custom field name', 'entity name');
  return { code: 'INVALID_TYPE', message: `sObject type '${object}' is not supported. ${advice}` };
}

/** A limit of the org; both are 403. Source: docs/contributing/providers.md, B7. */
export const overLimit = {
  daily: { code: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' },
  burst: { code: 'REQUEST_LIMIT_EXCEEDED', message: 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.' },
} as const;

/** The refusal that a `partial` fault scripts. */
export const refused = ({ code, message }: InputRefusal): Problem => ({
  code: code ?? 'FIELD_CUSTOM_VALIDATION_EXCEPTION',
  message,
  fields: [],
});

/** What Salesforce most often means by a status. Source: docs/contributing/providers.md, B7. */
const usual: Readonly<Record<number, Problem>> = {
  400: { code: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access to this record', fields: [] },
  401: invalidSession,
  403: overLimit.daily,
  404: { code: 'NOT_FOUND', message: 'The requested resource does not exist' },
  409: { code: 'CONFLICT', message: 'The request conflicts with the state of the resource' },
  429: overLimit.burst,
  500: {
    code: 'UNKNOWN_EXCEPTION',
    message: 'An unexpected error occurred. Please include this ErrorId if you contact support: 1523409871-1 (1)',
  },
  503: { code: 'SERVER_UNAVAILABLE', message: 'The service is temporarily unavailable. Please try again later.' },
};

/** The reply with a status when nothing else is known: Salesforce's own, or a page of the edge in front of it. */
export function statusReply(status: number): WireReply {
  const problem = usual[status];
  if (problem) return errorReply(new SalesforceError(status, problem));
  if (status === 204 || status === 304) return emptyReply(status);
  return status < 400 ? jsonReply(status, {}) : textReply(status, edgePage(status));
}
