import { randomBytes } from 'node:crypto';
import { routesUnder, text, type Router } from '@sluice/http';
import { checkNamedWorkspace, oauthConnectRequestSchema, withNamedWorkspace } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getNamedProject } from '../projects/get-project';
import { assertConsumer, refuseIssues } from '../refusals';
import { beginAuthorization, callbackPath, consentUrl } from './begin-authorization';
import { callbackPage } from './callback-page';
import { finishAuthorization } from './finish-authorization';

export const oauthConnectPath = '/v1/oauth-connect';

/** `POST /v1/oauth-connect`: where to send a customer's browser so that it comes back with a connection. */
export function oauthConnectRoutes(router: Router, context: ManagementContext): void {
  routesUnder(router, oauthConnectPath, { tags: ['Connections'], find: () => undefined }).post('', 'oauthConnect', {
    summary: 'Let a customer connect an account',
    description:
      'The page that the provider sends the customer back to tells the window that opened it what came of it.',
    replies: { 200: text('Where to send the browser of the customer; good for ten minutes, once.', consentUrl) },
    problems: ['project.not-found', 'group.not-found', 'provider.unknown', 'connection.scheme-mismatch'],
    scopes: ['frontend', 'token'],
    body: oauthConnectRequestSchema,
    handle: async (request) => {
      const { caller, body } = request;
      refuseIssues(checkNamedWorkspace(body));
      const named = withNamedWorkspace(body);
      const { projectIdOrName: _name, projectId: _id, providerWorkspaceRef: workspaceRef, ...order } = named;
      const { id: projectId } = await getNamedProject(context, caller, body);
      assertConsumer(caller, body);
      const openerOrigin = openerOriginOf(request.header('origin'));
      const { url, cookie } = await beginAuthorization(context, { ...order, projectId, workspaceRef, openerOrigin });
      const headers = cookie === undefined ? undefined : { 'Set-Cookie': cookie };
      return { text: { contentType: 'text/plain', content: url }, headers };
    },
  });
}

/**
 * The page that asks, from the `Origin` that its browser sends. Undefined for a backend, which sends none, and for what is no
 * origin (`null` of a sandboxed frame).
 */
export function openerOriginOf(header: string | undefined): string | undefined {
  return header !== undefined && URL.parse(header)?.origin === header ? header : undefined;
}

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
    handle: async (request) => {
      const { traceparent, query } = request;
      const outcome = await finishAuthorization(context, { query, traceparent, cookies: request.header('cookie') });
      const { html, policy } = callbackPage(outcome, randomBytes(16).toString('base64'));
      return {
        status: outcome.ok ? 200 : 400,
        text: { contentType: 'text/html', content: html },
        headers: { 'Content-Security-Policy': policy },
      };
    },
  });
}
