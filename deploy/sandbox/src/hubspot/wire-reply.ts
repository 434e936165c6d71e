import { randomUUID } from 'node:crypto';
import type { WireReply } from '../control/imitated-provider';

/** The content type of HubSpot's JSON, without a space. */
const jsonType = 'application/json;charset=utf-8';

export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  const correlation = { 'x-hubspot-correlation-id': correlationIdOf(body) };
  return { status, headers: { 'content-type': jsonType, ...correlation, ...headers }, payload: JSON.stringify(body) };
}

export function errorReply(error: HubspotError, headers: Readonly<Record<string, string>> = {}): WireReply {
  return jsonReply(error.status, errorBody(error.fields, randomUUID()), { ...headers, ...error.headers });
}

/** Text from the edge in front of HubSpot: an HTML page, or something even less helpful. */
export function textReply(status: number, payload: string, headers: Readonly<Record<string, string>> = {}): WireReply {
  const type = payload.startsWith('<') ? 'text/html' : 'text/plain';
  return { status, headers: payload === '' ? headers : { 'content-type': type, ...headers }, payload };
}

/** The page of the edge for a status. Only its being HTML matters. */
export function edgePage(status: number, title: string): string {
  return `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
}

function correlationIdOf(body: unknown): string {
  const has = typeof body === 'object' && body !== null && 'correlationId' in body;
  return has && typeof body.correlationId === 'string' ? body.correlationId : randomUUID();
}

/** One entry of `errors[]` in a HubSpot error body. */
export interface ErrorDetail {
  readonly message: string;
  readonly code?: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** What a HubSpot error says, without the parts added when it is sent (`status`, `correlationId`). */
export interface ErrorFields {
  readonly message: string;
  /** Absent on a few replies: unknown object type, missing numeric record. */
  readonly category?: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
  readonly errors?: readonly ErrorDetail[];
  /** Members of the 429 body: errorType, policyName, groupName, requestId. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** A call, or one input of a batch, that HubSpot refuses. Nothing of it is stored. */
export class HubspotError extends Error {
  constructor(
    readonly status: number,
    readonly fields: ErrorFields,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(fields.message);
    this.name = 'HubspotError';
  }
}

/** The body of a whole call that failed. Source: HubSpot's `Error` model; member order as recorded. */
function errorBody(fields: ErrorFields, correlationId: string): Record<string, unknown> {
  return {
    status: 'error',
    message: fields.message,
    correlationId,
    ...(fields.context ? { context: fields.context } : {}),
    ...(fields.errors ? { errors: fields.errors } : {}),
    ...(fields.category ? { category: fields.category } : {}),
    ...fields.extra,
  };
}

/** Refusal of a call that is not well formed: 400 VALIDATION_ERROR unless said otherwise. */
export function invalid(message: string, more: Partial<ErrorFields> = {}): HubspotError {
  return new HubspotError(400, { message, category: 'VALIDATION_ERROR', ...more });
}

/** The body does not have the shape of the request model. HubSpot gives these no category. */
export function invalidJson(detail: string): HubspotError {
  return new HubspotError(400, { message: `Invalid input JSON on ${detail}` });
}

/** A link whose target is not there, or whose kind does not lead to it. */
export function associationsInvalid(links: readonly string[]): HubspotError {
  const context = { INVALID_OBJECT_IDS: links.map((link) => `${link} is not valid`) };
  return invalid('One or more associations are invalid', { context });
}

/** A numeric id that no live record has: recorded without a category. */
export function recordNotFound(): HubspotError {
  return new HubspotError(404, { message: 'resource not found' });
}

/** An id that is not a number at all. The two spaces are HubSpot's. */
export function notNumeric(id: string): HubspotError {
  const message = 'Object not found.  objectId are usually numeric.';
  return new HubspotError(404, { message, category: 'OBJECT_NOT_FOUND', context: { id: [id] } });
}

/** The email of another contact. `existingId` is absent in a batch without trace ids, as recorded. Source: A2. */
export function alreadyExists(existingId?: string): HubspotError {
  const suffix = existingId === undefined ? '' : `. Existing ID: ${existingId}`;
  return new HubspotError(409, { message: `Contact already exists${suffix}`, category: 'CONFLICT' });
}
