import { route, text, type Router } from '@sluice/http';
import {
  checkNamedWorkspace,
  oauthConnectRequestSchema,
  withNamedWorkspace,
  type OAuthConnectRequest,
} from '@sluice/types';
import { beginAuthorization } from './begin-authorization';
import { assertConsumer } from '../caller-group';
import type { ManagementContext } from '../context';
import { getNamedProject } from '../projects/get-project';
import { openerOriginOf } from './opener-origin';
import { refuseIssues } from '../refuse-issues';
import { noQuery } from '../paths';

export const oauthConnectPath = '/v1/oauth-connect';

/** `POST /v1/oauth-connect`: where to send a customer's browser so that it comes back with a connection. */
export function oauthConnectRoutes(router: Router, context: ManagementContext): void {
  router.post(
    oauthConnectPath,
    route<{ readonly body: OAuthConnectRequest }>({
      operationId: 'oauthConnect',
      summary: 'Let a customer connect an account',
      description:
        'The page that the provider sends the customer back to tells the window that opened it what came of it.',
      tags: ['Connections'],
      replies: { 200: text('Where to send the browser of the customer; good for ten minutes, once.') },
      problems: ['project.not-found', 'group.not-found', 'provider.unknown', 'connection.scheme-mismatch'],
      scopes: ['frontend', 'token'],
      query: noQuery,
      body: oauthConnectRequestSchema,
      handle: async (request) => {
        const { caller, body } = request;
        refuseIssues(checkNamedWorkspace(body));
        const named = withNamedWorkspace(body);
        const { projectIdOrName: _name, projectId: _id, providerWorkspaceRef: workspaceRef, ...order } = named;
        const project = await getNamedProject(context, caller, body);
        assertConsumer(caller, body);
        const { url, cookie } = await beginAuthorization(context, {
          ...order,
          projectId: project.id,
          ...(workspaceRef === undefined ? {} : { workspaceRef }),
          ...openerOriginOf(request.header('origin')),
        });
        const headers = cookie === undefined ? {} : { headers: { 'Set-Cookie': cookie } };
        return { text: { contentType: 'text/plain', content: url }, ...headers };
      },
    }),
  );
}
