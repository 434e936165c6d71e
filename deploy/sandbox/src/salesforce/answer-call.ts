import type { CallContext, ReceivedCall, WireReply } from '../control/imitated-provider';
import { readVersion } from './api-versions';
import { notFound, SalesforceError, emptyReply, errorReply, jsonReply } from './wire-reply';
import { matchRoute, methodOf, type RouteMatch } from './match-route';
import type { Org } from './org';

/** What Salesforce answers to an admitted call, with everything that follows from it in the store. */
export function answerCall(
  org: Org,
  call: ReceivedCall,
  context: Pick<CallContext, 'now' | 'refusals'> & { readonly headers: Readonly<Record<string, string>> },
): WireReply {
  const { now, refusals, headers } = context;
  try {
    const { params, route } = requireRoute(call);
    const version = params.version === undefined ? '' : readVersion(params.version);
    if (call.bodyText !== '') requireJson(call.contentType);
    const reply = route.perform({ ...call, org, params, version, now, refusals });
    const all = { ...headers, ...reply.headers };
    return reply.body === undefined ? emptyReply(reply.status, all) : jsonReply(reply.status, reply.body, all);
  } catch (error) {
    if (error instanceof SalesforceError) return errorReply(error, headers);
    throw error;
  }
}

function requireRoute(call: ReceivedCall): {
  readonly params: RouteMatch['params'];
  readonly route: NonNullable<RouteMatch['route']>;
} {
  const match = matchRoute(call);
  if (!match) throw notFound();
  const { route, params, allowed } = match;
  if (route) return { route, params };
  const message = `HTTP Method '${methodOf(call)}' not allowed. Allowed are ${allowed.join(',')}`;
  throw new SalesforceError(405, { code: 'METHOD_NOT_ALLOWED', message });
}

function requireJson(contentType: string): void {
  if (/^application\/json\b/i.test(contentType)) return;
  const message = `Content type '${contentType}' is not supported`;
  throw new SalesforceError(415, { code: 'UNSUPPORTED_MEDIA_TYPE', message });
}
