import { NotFoundError, type Issue } from '@sluice/errors';
import type { DeployManifestRequest, Integration } from '@sluice/types';
import type { ManagementContext } from './context';
import { deleteIntegration } from './delete-integration';
import { parseManifest, type ParsedManifest } from './parse-manifest';
import { refuseContradictions } from './refuse-issues';
import { readUpload } from './uploads/read-upload';

/** A deploy request with what came beside the body. */
export interface Deployment {
  readonly projectId: string;
  readonly request: DeployManifestRequest;
  /** Integrations that the manifest leaves out are deleted, with their installations. */
  readonly isDestructive: boolean;
}

/**
 * Creates or revises an integration per entry of a manifest; all or none. Integrations that the manifest leaves out
 * stay as they are, unless the deployment is destructive: then they go one by one, after the manifest is in force.
 * @returns those that the manifest names
 * @throws ConflictError `integration.name-taken` when a name stands for another provider
 */
export async function deployManifest(context: ManagementContext, deployment: Deployment): Promise<Integration[]> {
  const { projectId, request, isDestructive } = deployment;
  const { manifest } = await readManifest(context, projectId, request);
  const entries = manifest.integrations.map((content) => {
    const { name, provider } = content;
    return { projectId, name, provider, specVersion: manifest.specVersion, content };
  });
  // Before: what another request deploys meanwhile is not ours to delete.
  const before = isDestructive ? await context.store.integrations.list(projectId) : [];
  const deployed = await context.store.integrations.putAll(projectId, entries);
  context.logger.info({ projectId, integrations: deployed.length }, 'manifest.deployed');
  const kept = new Set(deployed.map(({ id }) => id));
  for (const integration of before) if (!kept.has(integration.id)) await deleteIfThere(context, integration);
  return deployed;
}

/**
 * The manifest of a request, which is its text or a zip that was put before.
 * @throws ValidationError 400 for what breaks a rule; 422 `provider.unknown` with all of them
 */
export async function readManifest(
  context: ManagementContext,
  projectId: string,
  { sourceYaml, sourceZipUrl = '' }: DeployManifestRequest,
): Promise<ParsedManifest> {
  const parsed =
    sourceYaml === undefined
      ? parseManifest(await readUpload(context, projectId, sourceZipUrl), 'sourceZipUrl')
      : parseManifest(sourceYaml, 'sourceYaml');
  refuseContradictions('provider.unknown', unknownProviders(context, parsed));
  return parsed;
}

function unknownProviders({ connectors }: ManagementContext, { manifest, placeOf }: ParsedManifest): Issue[] {
  const known = connectors
    .all()
    .map(({ provider }) => provider)
    .join(', ');
  return manifest.integrations.flatMap(({ provider }, index): Issue[] => {
    if (connectors.find(provider) !== undefined) return [];
    const name = `integrations[${index}].provider`;
    return [{ in: 'body', name, detail: `is not known; known: ${known} ${placeOf(name)}`, value: provider }];
  });
}

/** Somebody else may have deleted it meanwhile. */
async function deleteIfThere(context: ManagementContext, integration: Integration): Promise<void> {
  try {
    await deleteIntegration(context, integration);
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.code !== 'integration.not-found') throw error;
  }
}
