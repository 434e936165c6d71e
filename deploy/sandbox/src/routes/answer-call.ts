import type { Account } from '../control/account';
import type { Refusal } from '../hubspot/api-call';
import { HubspotError } from '../hubspot/errors';
import { requireContacts } from '../hubspot/object-types';
import { edgePage, errorReply, jsonReply, textReply, type WireReply } from '../hubspot/wire-reply';
import type { HubspotRoute } from './hubspot-route';
import type { ReceivedCall } from './received-call';

const versionShape = /^\d{4}-\d{2}$/;

/** The page for a path or a version that HubSpot does not have. */
const notFoundPage = (): WireReply => textReply(404, edgePage(404, 'Not Found'));

/** What HubSpot answers to an admitted call, with everything that follows from it in the store. */
export function answerCall(
  account: Account,
  received: ReceivedCall,
  options: {
    readonly route: HubspotRoute | undefined;
    readonly now: Date;
    readonly rateHeaders: Readonly<Record<string, string>>;
    readonly refusals: ReadonlyMap<number, Refusal>;
  },
): WireReply {
  const { route, now, rateHeaders, refusals } = options;
  const { params } = received;
  if (!route || (params.version !== undefined && !versionShape.test(params.version))) return notFoundPage();
  try {
    if (params.objectType !== undefined) requireContacts(params.objectType);
    if (route.method !== 'get') requireJson(received.contentType);
    const reply = route.perform({ ...received, account: callAccount(account), now, refusals });
    return jsonReply(reply.status, reply.body, { ...rateHeaders, ...reply.headers });
  } catch (error) {
    if (error instanceof HubspotError) return errorReply(error, rateHeaders);
    throw error;
  }
}

const callAccount = ({ portalId, contacts, searchLagMs }: Account) => ({ portalId, contacts, searchLagMs });

function requireJson(contentType: string): void {
  if (/^application\/json\b/i.test(contentType)) return;
  throw new HubspotError(415, { message: 'Unsupported Media Type' });
}
