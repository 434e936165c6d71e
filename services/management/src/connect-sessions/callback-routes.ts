import { randomBytes } from 'node:crypto';
import { type Reply, type Router, routesUnder } from '@sluice/http';
import { callbackPath, cookieIn } from '../connections/begin-authorization';
import { callbackPage } from '../connections/callback-page';
import { finishAuthorization, takeAuthorization, type Outcome, type Return } from '../connections/finish-authorization';
import type { ManagementContext } from '../context';
import { isHashed } from '../one-time-secrets';
import { connectedMeanwhile, installationOf, installSession, noteFailure } from './install-session';
import { connectCookieIn, pageOfCookie } from './session-access';

/** Longer than any code or text that a provider is known to send. */
const word = { type: 'string', maxLength: 4096 } as const;
/** Providers add parameters of their own; those that say where an account is are the connector's to read, all others are ignored. */
const returnQuery = {
  type: 'object',
  properties: { state: word, code: word, error: word, error_description: word },
} as const;

/** `GET /callbacks/v1/oauth`: where a provider sends a customer back to. Open: the state is what proves who returns. */
export function oauthCallbackRoutes(router: Router, context: ManagementContext): void {
  routesUnder(router, callbackPath, { find: () => undefined }).get('', 'finishAuthorization', {
    isInternal: true,
    query: returnQuery,
    handle: async (request): Promise<Reply> => {
      const { traceparent, query } = request;
      const returned = { query, traceparent, cookies: request.header('cookie') };
      const { outcome, page } = await finishReturn(context, returned);
      if (page !== undefined) return { status: 303, headers: { Location: page } };
      const { html, policy } = callbackPage(outcome, randomBytes(16).toString('base64'));
      return {
        status: outcome.ok ? 200 : 400,
        text: { contentType: 'text/html', content: html },
        headers: { 'Content-Security-Policy': policy },
      };
    },
  });
}

/** A customer's return, with the `Cookie` header of the browser. */
type BrowserReturn = Omit<Return, 'cookie'> & { readonly cookies: string | undefined };

/** What came of a return, and where the browser goes on. Absent: the callback page shows it. */
interface Finished {
  readonly outcome: Outcome;
  readonly page?: string;
}

/**
 * Finishes an authorization, and the connect session that it is part of, as far as that goes without a person. The browser that began the session is
 * led back to its page, which shows the outcome. Any other one is refused before anything is sent, and changes nothing.
 */
async function finishReturn(context: ManagementContext, returned: BrowserReturn): Promise<Finished> {
  const { config, store } = context;
  const { cookies, traceparent } = returned;
  const state = await takeAuthorization(context, returned.query.state);
  if (state?.connectSessionId === undefined) {
    const cookie = state && cookieIn(cookies, state.stateHash);
    return { outcome: await finishAuthorization(context, state, { ...returned, cookie }) };
  }
  const key = { projectId: state.projectId, id: state.connectSessionId };
  const cookie = connectCookieIn(config, key.id, cookies);
  const isOfBrowser = cookie !== undefined && state.cookieHash !== undefined && isHashed(cookie, state.cookieHash);
  const session = await store.connectSessions.find(key);
  const isOpen = session?.isLive === true && session.usedTime === undefined && session.installationId === undefined;
  // It may have ended, or been used in another tab, while the browser was at the provider.
  if (isOfBrowser && !isOpen) {
    const error = 'The link to this page has expired, or was used.';
    return { outcome: { ok: false, error }, page: pageOfCookie(config, cookie) };
  }
  // Begun as a first connection: its account may be another than the one that the group has got since. Nothing is exchanged.
  if (isOfBrowser && session !== undefined && state.connectionId === undefined) {
    if ((await installationOf(context, session)) !== undefined) {
      await noteFailure(context, key, connectedMeanwhile);
      return { outcome: { ok: false, error: connectedMeanwhile }, page: pageOfCookie(config, cookie) };
    }
  }
  const outcome = await finishAuthorization(context, state, { ...returned, cookie });
  if (!isOfBrowser) return { outcome };
  if (outcome.ok) {
    // As the connection's transaction left it.
    const now = await store.connectSessions.find(key);
    if (now !== undefined) await installSession(context, now, traceparent);
  } else await noteFailure(context, key, outcome.error);
  return { outcome, page: pageOfCookie(config, cookie) };
}
