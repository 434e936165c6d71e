import { invalid } from '@sluice/http';
import type { DeployManifestRequest, Integration } from '@sluice/types';
import type { ManagementContext } from './context';
import { readManifest } from './deploy-manifest';

/**
 * Gives one integration the content that a manifest has under its name; an equal content makes no revision. What else
 * the manifest holds is left alone.
 * @returns the integration with its latest revision
 * @throws ValidationError 400 for a manifest that breaks a rule, or has no integration of this name
 * @throws ConflictError `integration.name-taken` when the manifest names another provider
 */
export async function createRevision(
  context: ManagementContext,
  { projectId, name }: Integration,
  request: DeployManifestRequest,
): Promise<Integration> {
  const { manifest } = await readManifest(context, projectId, request);
  const content = manifest.integrations.find((integration) => integration.name === name);
  if (content === undefined) {
    const names = manifest.integrations.map((integration) => integration.name).join(', ') || 'none';
    const detail = `has no integration called ${name}; it has: ${names}`;
    const source = request.sourceYaml === undefined ? 'sourceZipUrl' : 'sourceYaml';
    throw invalid([{ in: 'body', name: source, detail }]);
  }
  const { specVersion } = manifest;
  const entry = { projectId, name, provider: content.provider, specVersion, content };
  const [revised] = await context.store.integrations.putAll(projectId, [entry]);
  const integration = revised as Integration;
  const revisionId = integration.latestRevision.id;
  context.logger.info({ projectId, integrationId: integration.id, revisionId }, 'revision.created');
  return integration;
}
