import { randomUUID } from 'node:crypto';
import type { WireReply } from '../control/imitated-provider';
import { errorBody, type HubspotError } from './errors';

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
