import { invalid } from '@sluice/http';
import type { Caller, DeployManifestRequest, Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { readManifest } from './deploy-manifest';
import { pauseRemovedReads } from './pause-removed-reads';

/** A request for a revision with what came beside the body. */
export interface NewRevision {
  readonly integration: Integration;
  readonly request: DeployManifestRequest;
  readonly caller: Caller;
  /** Installations stop reading the objects that the manifest takes from the integration. */
  readonly pausesReads: boolean;
}

/**
 * Gives one integration the content that a manifest has under its name; an equal content makes no revision. What else
 * the manifest holds is left alone.
 * @returns the integration with its latest revision
 * @throws ValidationError 400 for a manifest that breaks a rule, or has no integration of this name
 * @throws ConflictError `integration.name-taken` when the manifest names another provider
 */
export async function createRevision(
  context: ManagementContext,
  { integration: standing, request, caller, pausesReads }: NewRevision,
): Promise<Integration> {
  const { projectId, id: integrationId, name, latestRevision } = standing;
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
  if (pausesReads && content.provider === standing.provider) {
    const removal = { before: latestRevision.content, after: content };
    await pauseRemovedReads(context, { projectId, integrationId, ...removal, caller });
  }
  const [revised] = await context.store.integrations.putAll(projectId, [entry]);
  const integration = revised as Integration;
  const revisionId = integration.latestRevision.id;
  context.logger.info({ projectId, integrationId: integration.id, revisionId }, 'revision.created');
  return integration;
}
