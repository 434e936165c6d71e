import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { InputRefusal, WireReply } from '../control/imitated-provider';
import { edgePage, WireError, type Headers } from '../crm/api-call';
import type { ObjectType } from './object-type';

/** The content type of HubSpot's JSON, without a space. */
const jsonType = 'application/json;charset=utf-8';

export function jsonReply(status: number, body: unknown, headers: Headers = {}): WireReply {
  const correlation = { 'x-hubspot-correlation-id': correlationIdOf(body) };
  return { status, headers: { 'content-type': jsonType, ...correlation, ...headers }, payload: JSON.stringify(body) };
}

export const errorReply = (error: HubspotError, headers: Headers = {}): WireReply =>
  jsonReply(error.status, error.body(), { ...headers, ...error.headers });

/** The page of the edge in front of HubSpot. */
export const edgeReply = (status: number): WireReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  payload: edgePage(status),
});

function correlationIdOf(body: unknown): string {
  const has = typeof body === 'object' && body !== null && 'correlationId' in body;
  return has && typeof body.correlationId === 'string' ? body.correlationId : randomUUID();
}

export type Context = Readonly<Record<string, readonly string[]>>;

/** One entry of `errors[]` in a HubSpot error body. */
export interface ErrorDetail {
  readonly message: string;
  readonly code?: string;
  readonly context?: Context;
}

/** The content of a HubSpot error, without the parts added when it is sent (`status`, `correlationId`). */
interface ErrorFields {
  readonly message: string;
  /** Absent on a few replies: unknown object type, missing numeric record. */
  readonly category?: string;
  readonly context?: Context;
  readonly errors?: readonly ErrorDetail[];
  /** Members of the 429 body: errorType, policyName, groupName, requestId. */
  readonly extra?: Readonly<Record<string, string>>;
}

export class HubspotError extends WireError {
  constructor(
    status: number,
    readonly fields: ErrorFields,
    headers: Headers = {},
  ) {
    super(status, fields.message, headers);
  }

  /** Source: HubSpot's `Error` model; member order as recorded. */
  body(): Record<string, unknown> {
    const { message, context, errors, category, extra } = this.fields;
    return {
      status: 'error',
      message,
      correlationId: randomUUID(),
      ...(context ? { context } : {}),
      ...(errors ? { errors } : {}),
      ...(category ? { category } : {}),
      ...extra,
    };
  }
}

/** A call that is not well formed: 400 VALIDATION_ERROR. */
export function invalid(message: string, more: Partial<ErrorFields> = {}): HubspotError {
  return new HubspotError(400, { message, category: 'VALIDATION_ERROR', ...more });
}

/** The body does not have the shape of the request model. HubSpot gives these no category. */
export function invalidJson(detail: string): HubspotError {
  return new HubspotError(400, { message: `Invalid input JSON on ${detail}` });
}

export const fieldMissing = (name: string): HubspotError =>
  invalidJson(`line 1, column 1. Some required fields were not set: [${name}]`);

/** A link whose target does not exist, or whose type does not lead to it. */
export function associationsInvalid(links: readonly string[]): HubspotError {
  const context = { INVALID_OBJECT_IDS: links.map((link) => `${link} is not valid`) };
  return invalid('One or more associations are invalid', { context });
}

/** A numeric id that no live record has: recorded without a category. */
export const recordNotFound = (): HubspotError => new HubspotError(404, { message: 'resource not found' });

/** 404 for an id, in its two recorded forms: the second for an id that is not a number. The two spaces are HubSpot's. */
export function missingRecord(id: string, idProperty?: string): HubspotError {
  if (idProperty !== undefined || /^\d+$/.test(id)) return recordNotFound();
  const message = 'Object not found.  objectId are usually numeric.';
  return new HubspotError(404, { message, category: 'OBJECT_NOT_FOUND', context: { id: [id] } });
}

/** The email of another contact. `existingId` is absent in a batch without trace ids, as recorded. Source: A2. */
export function alreadyExists(existingId?: string): HubspotError {
  const suffix = existingId === undefined ? '' : `. Existing ID: ${existingId}`;
  return new HubspotError(409, { message: `Contact already exists${suffix}`, category: 'CONFLICT' });
}

/** Status of a whole call that fails for a reason of this category. */
const statusOfCategory: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  MISSING_SCOPES: 403,
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITS: 429,
  INTERNAL_ERROR: 500,
};

/** The refusal that a `partial` fault scripts. */
export function refused({ code = 'VALIDATION_ERROR', message }: InputRefusal): HubspotError {
  return new HubspotError(statusOfCategory[code] ?? 400, { message, category: code });
}

/** One entry of `errors[]` in a 207. */
export interface BatchError {
  readonly status: 'error';
  readonly category: string;
  readonly subCategory?: string;
  readonly message: string;
  readonly context?: Context;
}

/** A refused input as an entry of `errors[]`, with what names it. */
export function batchError(failure: HubspotError, naming: Context): BatchError {
  const { message, category, context } = failure.fields;
  const named = { ...naming, ...context };
  return {
    status: 'error',
    category: category ?? 'VALIDATION_ERROR',
    message,
    ...(Object.keys(named).length > 0 ? { context: named } : {}),
  };
}

/** Ids that have no live record, in one entry, as recorded. */
export function missingIds(type: ObjectType, ids: readonly string[], traceIds: readonly string[] = []): BatchError {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: `Could not get some ${type.singular.toUpperCase()} objects, they may be deleted or not exist. Check that ids are valid.`,
    context: { ids, ...(traceIds.length > 0 ? { objectWriteTraceId: traceIds } : {}) },
  };
}

export type Policy = 'TEN_SECONDLY_ROLLING' | 'SECONDLY' | 'DAILY';

/** 429 for a limit. HubSpot sends no `Retry-After` with it. */
export function overLimit(policy: Policy, portalId: number, headers: Headers = {}): HubspotError {
  // Search has a limit, and so a group, of its own.
  const group = policy === 'SECONDLY' ? 'crm:search' : `private-app-api-calls-${policy.toLowerCase()}`;
  const groupName = `publicapi:${group}:${portalId}`;
  const extra = { errorType: 'RATE_LIMIT', policyName: policy, groupName, requestId: randomUUID() };
  return new HubspotError(429, { message: `You have reached your ${policy.toLowerCase()} limit.`, extra }, headers);
}

/** 401 for a token that has ended. */
export function expiredAuthentication(expiredAt: Date, now: Date): HubspotError {
  const seconds = Math.floor(Math.max(0, now.getTime() - expiredAt.getTime()) / 1000);
  return new HubspotError(401, {
    message: `The OAuth token used to make this call expired ${seconds} second(s) ago.`,
    category: 'EXPIRED_AUTHENTICATION',
    context: { 'expire time': [expiredAt.toISOString()] },
  });
}

/** 401 for a token that selects no account. */
export const invalidAuthentication = (): HubspotError =>
  new HubspotError(401, {
    message:
      'Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview',
    category: 'INVALID_AUTHENTICATION',
  });

const missingScopes: ErrorFields = {
  message: "This app hasn't been granted all required scopes to make this call.",
  category: 'MISSING_SCOPES',
  errors: [
    {
      message: 'One or more of the following scopes are required.',
      context: { requiredGranularScopes: ['crm.objects.contacts.write'] },
    },
  ],
};

/** Statuses that come from the edge, as HTML. Source: docs/contributing/providers.md, A7, A8. */
const edgeStatuses = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526]);

/** The reply with a status when nothing else is known about the failure. */
export function statusReply(status: number, portalId: number): WireReply {
  return edgeStatuses.has(status) ? edgeReply(status) : errorReply(usualError(status, portalId));
}

function usualError(status: number, portalId: number): HubspotError {
  // A fault does not know the token of the call, so it sends the recorded moments.
  if (status === 401) return expiredAuthentication(new Date('2026-01-01T00:00Z'), new Date('2026-01-01T05:00Z'));
  if (status === 403) return new HubspotError(403, missingScopes);
  if (status === 429) return overLimit('TEN_SECONDLY_ROLLING', portalId);
  if (status === 409) return alreadyExists();
  if (status === 500) return new HubspotError(500, { message: 'internal error', category: 'INTERNAL_ERROR' });
  const message = STATUS_CODES[status] ?? 'Error';
  return status === 400 ? invalid(message) : new HubspotError(status, { message });
}
