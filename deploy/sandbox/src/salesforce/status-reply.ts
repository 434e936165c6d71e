import type { WireReply } from '../control/imitated-provider';
import { SalesforceError, type Problem } from './errors';
import { emptyReply, errorReply, jsonReply, textReply } from './wire-reply';

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
