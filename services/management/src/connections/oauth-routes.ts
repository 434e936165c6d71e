import { type Router, routesUnder, text } from '@sluice/http';
import { checkNamedWorkspace, oauthConnectRequestSchema, withNamedWorkspace } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getNamedProject } from '../projects/get-project';
import { assertConsumer, refuseIssues } from '../refusals';
import { beginAuthorization, consentUrl } from './begin-authorization';

export const oauthConnectPath = '/v1/oauth-connect';

/** `POST /v1/oauth-connect`: where to send a customer's browser so that it comes back with a connection. */
export function oauthConnectRoutes(router: Router, context: ManagementContext): void {
  routesUnder(router, oauthConnectPath, { tags: ['Connections'], find: () => undefined }).post('', 'oauthConnect', {
    summary: 'Let a customer connect an account',
    description:
      'The provider sends the customer back to a page, which reports the result to the window that opened it.',
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
