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
export function errorBody(error: SalesforceError): unknown[] {
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
