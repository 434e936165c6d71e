import { invalid } from '@sluice/http';
import type { DeployManifestRequest, Integration } from '@sluice/types';
import type { ManagementContext } from './context';
import { getConnector } from './get-connector';
import { parseManifest } from './parse-manifest';

/**
 * Creates or revises an integration per entry of a manifest; all or none. Integrations that the manifest leaves out
 * stay as they are.
 * @throws ConflictError `integration.name-taken` when a name stands for another provider
 */
export async function deployManifest(
  context: ManagementContext,
  projectId: string,
  request: DeployManifestRequest,
): Promise<Integration[]> {
  if (request.sourceYaml === undefined) {
    const detail = 'is not supported; send the text of the manifest as sourceYaml';
    throw invalid([{ in: 'body', name: 'sourceZipUrl', detail }]);
  }
  const { specVersion, integrations } = parseManifest(request.sourceYaml);
  for (const [at, { provider }] of integrations.entries())
    getConnector(context, provider, `integrations[${at}].provider`);
  const entries = integrations.map((content) => {
    const { name, provider } = content;
    return { projectId, name, provider, specVersion, content };
  });
  const deployed = await context.store.integrations.putAll(projectId, entries);
  context.logger.info({ projectId, integrations: deployed.length }, 'manifest.deployed');
  return deployed;
}
