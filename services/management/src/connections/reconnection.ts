import type { Connection } from '@sluice/types';
import type { AuthorizationOrder } from './begin-authorization';
import { contradiction } from '../refuse-issues';

/**
 * The authorization that gives a connection new tokens, at the place that its metadata names.
 * @throws ValidationError 422 for a connection whose tokens do not come from a customer's page
 */
export function reconnection(connection: Connection): AuthorizationOrder {
  const { authScheme, providerWorkspaceRef: workspaceRef, providerMetadata, providerApp } = connection;
  if (!authScheme.startsWith('oauth2/authorizationCode')) {
    throw contradiction({
      code: 'connection.scheme-mismatch',
      name: 'connectionId',
      detail: `names a connection of ${authScheme}, which no customer's page gives tokens for`,
      remedy: 'Send new credentials with PATCH connections/{id}.',
    });
  }
  return {
    projectId: connection.projectId,
    provider: connection.provider,
    groupRef: connection.group.groupRef,
    consumerRef: connection.consumer.consumerRef,
    connectionId: connection.id,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
    ...(providerApp === undefined ? {} : { providerAppId: providerApp.id }),
  };
}
