import type { CreateProviderAppRequest, ProviderApp } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnector } from './get-connector';

/**
 * Registers the builder's OAuth app at a provider. Its secret is sealed and never shown again.
 * @throws ValidationError `provider.unknown`
 */
export async function createProviderApp(
  context: ManagementContext,
  projectId: string,
  { clientSecret, ...request }: CreateProviderAppRequest,
): Promise<ProviderApp> {
  getConnector(context, request.provider, 'provider');
  const seal = (appId: string) => context.installations.sealClientSecret(appId, clientSecret);
  const app = await context.store.providerApps.create({ ...request, projectId, seal });
  context.logger.info({ projectId, providerAppId: app.id, provider: app.provider }, 'provider-app.created');
  return app;
}
