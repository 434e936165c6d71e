import type { WireReply } from '../control/imitated-provider';
import { errorBody, type SalesforceError } from './errors';

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
