import type { WireReply } from '../control/imitated-provider';

const jsonType = 'application/json;charset=UTF-8';

export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  return { status, headers: { 'content-type': jsonType, ...headers }, payload: JSON.stringify(body) };
}

export function errorReply(error: SalesforceError, headers: Readonly<Record<string, string>> = {}): WireReply {
  return jsonReply(error.status, errorBody(error), headers);
}

/** 204 and 304: no body and no content type. */
export const emptyReply = (status: number, headers: Readonly<Record<string, string>> = {}): WireReply => ({
  status,
  headers,
  payload: '',
});

/** Text that is not JSON: a page from the edge, or the word of an OAuth endpoint. */
export function textReply(status: number, payload: string): WireReply {
  return {
    status,
    headers: { 'content-type': payload.startsWith('<') ? 'text/html;charset=UTF-8' : 'text/plain' },
    payload,
  };
}

/** One thing that Salesforce has against a call or a record. */
export interface Problem {
  /** `errorCode` of a call that failed, `statusCode` of an item of a collection. */
  readonly code: string;
  readonly message: string;
  /** Fields it is about; absent where Salesforce sends no list at all. */
  readonly fields?: readonly string[];
  /** Further members of the body of a single call; a collection leaves them out. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A call that Salesforce refuses as a whole. Nothing of it is stored. */
export class SalesforceError extends Error {
  readonly problems: readonly Problem[];

  constructor(
    readonly status: number,
    ...problems: readonly [Problem, ...Problem[]]
  ) {
    super(problems[0].message);
    this.name = 'SalesforceError';
    this.problems = problems;
  }
}

/** The body of a whole call that failed: an array, member order as recorded. */
function errorBody(error: SalesforceError): unknown[] {
  return error.problems.map(({ code, message, fields, extra }) => ({
    ...extra,
    message,
    errorCode: code,
    ...(fields ? { fields } : {}),
  }));
}

/** 400 with one code. */
export const badRequest = (code: string, message: string): SalesforceError =>
  new SalesforceError(400, { code, message });

/** The address, or the record it names, does not exist. */
export function notFound(): SalesforceError {
  return new SalesforceError(404, { code: 'NOT_FOUND', message: 'The requested resource does not exist' });
}

/** A SOQL text that does not parse, or asks for what SOQL forbids. */
export const malformedQuery = (message: string): SalesforceError => badRequest('MALFORMED_QUERY', message);

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

/** The body is not JSON, or a value in it has the wrong kind for its field. */
export const unreadable = (message: string): SalesforceError => badRequest('JSON_PARSER_ERROR', message);

/** What Salesforce most often means by a status. Source: docs/contributing/providers.md, B7. */
const usual: Readonly<Record<number, Problem>> = {
  400: { code: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access to this record', fields: [] },
  401: { code: 'INVALID_SESSION_ID', message: 'Session expired or invalid' },
  403: { code: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' },
  404: { code: 'NOT_FOUND', message: 'The requested resource does not exist' },
  409: { code: 'CONFLICT', message: 'The request conflicts with the state of the resource' },
  429: { code: 'REQUEST_LIMIT_EXCEEDED', message: 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.' },
  500: {
    code: 'UNKNOWN_EXCEPTION',
    message: 'An unexpected error occurred. Please include this ErrorId if you contact support: 1523409871-1 (1)',
  },
  503: { code: 'SERVER_UNAVAILABLE', message: 'The service is temporarily unavailable. Please try again later.' },
};

/** The reply that a status stands for when nothing else is known: Salesforce's own, or a page of the edge in front of it. */
export function statusReply(status: number): WireReply {
  const problem = usual[status];
  if (problem) return errorReply(new SalesforceError(status, problem));
  if (status === 204 || status === 304) return emptyReply(status);
  return status < 400 ? jsonReply(status, {}) : textReply(status, edgePage(status));
}

/** Only its being HTML matters. */
const edgePage = (status: number): string =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body>\r\n<h1>${status}</h1>\r\n</body>\r\n</html>\r\n`;
