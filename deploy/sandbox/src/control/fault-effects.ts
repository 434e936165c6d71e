import type { Refusal } from '../hubspot/api-call';
import { statusReply } from '../hubspot/status-reply';
import { jsonReply, textReply, type WireReply } from '../hubspot/wire-reply';
import type { FaultAction, PartialAction } from './fault';

type ReplyingAction = Extract<FaultAction, { readonly status: number }>;

const statusOfCategory: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  MISSING_SCOPES: 403,
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITS: 429,
  INTERNAL_ERROR: 500,
};

/** The reply that a fault puts in the place of HubSpot's. */
export function faultReply(action: ReplyingAction, portalId: number): WireReply {
  const retryAfter: Record<string, string> =
    action.retryAfterSeconds === undefined ? {} : { 'retry-after': String(action.retryAfterSeconds) };
  const reply = shaped(action, portalId);
  return { ...reply, headers: { ...reply.headers, ...retryAfter } };
}

/** The inputs that a `partial` fault refuses, by position. */
export function refusalsOf(action: PartialAction): ReadonlyMap<number, Refusal> {
  const category = action.category ?? 'VALIDATION_ERROR';
  const message = action.message ?? 'Refused by a fault of the sandbox';
  const refusal: Refusal = {
    status: statusOfCategory[category] ?? 400,
    fields: { message, category },
    named: action.context !== false,
  };
  return new Map((action.inputs ?? [0]).map((index) => [index, refusal]));
}

function shaped({ status, body }: ReplyingAction, portalId: number): WireReply {
  if (body === undefined) return statusReply(status, portalId);
  return typeof body === 'string' ? textReply(status, body) : jsonReply(status, body);
}
