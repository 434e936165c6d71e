import type { CallContext, ReceivedCall, WireReply } from '../control/imitated-provider';
import { HubspotError } from './errors';
import { findEndpoint } from './find-endpoint';
import type { PortalData } from './portal-data';
import { edgePage, errorReply, jsonReply, textReply } from './wire-reply';

/** The account as answering needs it. */
interface AnsweringPortal {
  readonly portalId: number;
  readonly data: PortalData;
  readonly rateHeaders: Readonly<Record<string, string>>;
}

/** What HubSpot answers to an admitted call, with everything that follows from it in the data. */
export function answerCall(portal: AnsweringPortal, received: ReceivedCall, context: CallContext): WireReply {
  const { portalId, data, rateHeaders } = portal;
  const found = findEndpoint(received.method, received.path);
  if (!found) return textReply(404, edgePage(404, 'Not Found'));
  try {
    const { endpoint, params } = found;
    const { now, refusals, settings } = context;
    if (hasBody(received)) requireJson(received.contentType);
    const call = { ...received, portalId, data, params, now, refusals, searchLagMs: settings.searchLagMs };
    const reply = endpoint.perform(call);
    const headers = { ...rateHeaders, ...reply.headers };
    return reply.body === undefined
      ? { status: reply.status, headers, payload: '' }
      : jsonReply(reply.status, reply.body, headers);
  } catch (error) {
    if (error instanceof HubspotError) return errorReply(error, rateHeaders);
    throw error;
  }
}

/** A PUT by default association and a DELETE come without a body and then without a type. */
const hasBody = ({ method, bodyText }: ReceivedCall): boolean =>
  method === 'POST' || method === 'PATCH' || (method === 'PUT' && bodyText !== '');

function requireJson(contentType: string): void {
  if (/^application\/json\b/i.test(contentType)) return;
  throw new HubspotError(415, { message: 'Unsupported Media Type' });
}
