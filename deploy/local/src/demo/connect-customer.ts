import type { ConfigContent, Integration } from '@sluice/types';
import type { ManagementClient } from '../clients/management-client';
import type { DemoIntegration } from './demo-file';
import type { DemoCustomer } from './demo-settings';

/** Connects a group's CRM and installs the integration for it, as a builder's backend would. Repeatable. */
export async function connectCustomer(
  management: ManagementClient,
  projectId: string,
  integration: Pick<Integration, 'id' | 'name' | 'provider'>,
  customer: DemoCustomer & { readonly content: ConfigContent },
): Promise<DemoIntegration> {
  const { groupRef, consumerRef, token, workspaceRef, content } = customer;
  const { id, name, provider } = integration;
  const connections = await management.listConnections(projectId, groupRef);
  const connection =
    connections.findLast((one) => one.provider === provider) ??
    (await management.generateConnection(projectId, {
      groupRef,
      consumerRef,
      provider,
      oauth2AuthorizationCode: { accessToken: { token } },
      ...(workspaceRef === undefined ? {} : { providerWorkspaceRef: workspaceRef }),
    }));
  const [installed] = await management.listInstallations(projectId, id, groupRef);
  const installation =
    installed ??
    (await management.createInstallation(projectId, id, {
      groupRef,
      connectionId: connection.id,
      config: { content },
    }));
  return {
    provider,
    id,
    name,
    groupRef,
    installationId: installation.id,
    connectionId: installation.connection.id,
  };
}
