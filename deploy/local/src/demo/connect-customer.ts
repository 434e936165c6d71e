import type { SluiceClient } from '@sluice/client';
import type { ConfigContent, Integration } from '@sluice/types';
import type { DemoIntegration } from './demo-file';
import type { DemoCustomer } from './demo-settings';

/** Connects a group's CRM and installs the integration for it, as a builder's backend would. Repeatable. @param client of the project */
export async function connectCustomer(
  { management }: SluiceClient,
  integration: Pick<Integration, 'id' | 'name' | 'provider'>,
  customer: DemoCustomer & { readonly content: ConfigContent },
): Promise<DemoIntegration> {
  const { groupRef, consumerRef, token, workspaceRef, content } = customer;
  const { id, name, provider } = integration;
  const connections = await management.listConnections({ groupRef });
  const connection =
    connections.findLast((one) => one.provider === provider) ??
    (await management.generateConnection({
      body: {
        groupRef,
        consumerRef,
        provider,
        oauth2AuthorizationCode: { accessToken: { token } },
        ...(workspaceRef === undefined ? {} : { providerWorkspaceRef: workspaceRef }),
      },
    }));
  const [installed] = await management.listInstallations({ integrationId: id, groupRef });
  const installation =
    installed ??
    (await management.createInstallation({
      integrationId: id,
      body: {
        groupRef,
        connectionId: connection.id,
        config: { content },
      },
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
