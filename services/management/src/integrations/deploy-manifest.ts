import type { Issue } from '@sluice/errors';
import { ownTurn } from '@sluice/telemetry';
import type { Caller, DeployManifestRequest, Integration, ManifestIntegration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { parseManifest, type ParsedManifest } from './parse-manifest';
import { pauseRemovedReads, type ReadRemoval } from './pause-removed-reads';
import { refuseContradictions } from '../refuse-issues';
import { readUpload } from './read-upload';

/** A deploy request with what came beside the body. */
export interface Deployment {
  readonly projectId: string;
  readonly request: DeployManifestRequest;
  readonly caller: Caller;
  /** Installations stop reading the objects that the manifest takes from their integration. */
  readonly pausesReads: boolean;
}

/**
 * Creates or revises an integration per entry of a manifest; all or none. Integrations that the manifest leaves out
 * stay as they are, with their installations: only a request of its own deletes one.
 * @returns those that the manifest names
 * @throws ConflictError `integration.name-taken` when a name stands for another provider
 */
export async function deployManifest(context: ManagementContext, deployment: Deployment): Promise<Integration[]> {
  const { projectId, request, pausesReads } = deployment;
  const { manifest } = await readManifest(context, projectId, request);
  const entries = manifest.integrations.map((content) => {
    const { name, provider } = content;
    return { projectId, name, provider, specVersion: manifest.specVersion, content };
  });
  if (pausesReads) await pauseReads(context, deployment, manifest.integrations);
  const deployed = await context.store.integrations.putAll(projectId, entries);
  context.logger.info({ projectId, integrations: deployed.length }, 'manifest.deployed');
  return deployed;
}

/** Pauses nothing where a name stands for another provider: then the deployment is about to be refused. */
async function pauseReads(
  context: ManagementContext,
  { projectId, caller }: Deployment,
  contents: readonly ManifestIntegration[],
): Promise<void> {
  const removals: ReadRemoval[] = [];
  for (const after of contents) {
    const standing = await context.store.integrations.find(projectId, after.name);
    // An integration whose id is this name is another one.
    if (standing?.name !== after.name) continue;
    if (standing.provider !== after.provider) return;
    removals.push({ projectId, integrationId: standing.id, before: standing.latestRevision.content, after, caller });
  }
  for (const removal of removals) await pauseRemovedReads(context, removal);
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
  const text = sourceYaml ?? (await readUpload(context, projectId, sourceZipUrl));
  // A megabyte of YAML holds the event loop for a quarter of a second.
  await ownTurn();
  const parsed = parseManifest(text, sourceYaml === undefined ? 'sourceZipUrl' : 'sourceYaml');
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
