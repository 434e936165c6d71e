import { STATUS_CODES } from 'node:http';
import type { WireReply } from '../control/imitated-provider';
import { HubspotError, type ErrorFields, edgePage, errorReply, textReply } from './wire-reply';
import { rateLimitFields } from './rate-limit';

/** Statuses that come from the edge, as HTML. Source: docs/contributing/providers.md, A7, A8. */
const edgeStatuses = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526]);

/** Units in which HubSpot says how long ago a token ended, with where the next one begins, in seconds. */
const units = [
  ['second', 1, 60],
  ['minute', 60, 3600],
  ['hour', 3600, 172_800],
  ['day', 86_400, Infinity],
] as const;

/** The body of a call whose token has ended. */
export function expiredAuthentication(expiredAt: Date, now: Date): ErrorFields {
  const seconds = Math.max(0, (now.getTime() - expiredAt.getTime()) / 1000);
  const [unit, length] = units.find(([, , next]) => seconds < next) ?? units[3];
  return {
    message: `The OAuth token used to make this call expired ${Math.floor(seconds / length)} ${unit}(s) ago.`,
    category: 'EXPIRED_AUTHENTICATION',
    context: { 'expire time': [expiredAt.toISOString()] },
  };
}

/** What a fault says that knows of no token: the recorded text. */
const expired = expiredAuthentication(new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-01T05:00:00.000Z'));

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

/** What HubSpot sends with a status when nothing else is known about the failure. */
export function statusReply(status: number, portalId: number): WireReply {
  const title = STATUS_CODES[status] ?? 'Error';
  if (edgeStatuses.has(status)) return textReply(status, edgePage(status, title));
  return errorReply(new HubspotError(status, fieldsOf(status, title, portalId)));
}

/** The body of a call whose token selects no account. */
export const invalidAuthentication: ErrorFields = {
  message:
    'Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview',
  category: 'INVALID_AUTHENTICATION',
};

function fieldsOf(status: number, title: string, portalId: number): ErrorFields {
  if (status === 401) return expired;
  if (status === 403) return missingScopes;
  if (status === 429) return rateLimitFields('TEN_SECONDLY_ROLLING', portalId);
  if (status === 409) return { message: 'Contact already exists', category: 'CONFLICT' };
  if (status === 500) return { message: 'internal error', category: 'INTERNAL_ERROR' };
  return { message: title, ...(status === 400 ? { category: 'VALIDATION_ERROR' } : {}) };
}
