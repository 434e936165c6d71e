import type { Issue } from '@sluice/errors';
import { ownTurn } from '@sluice/telemetry';
import type { Caller, DeployManifestRequest, Integration, ManifestIntegration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { refuseContradictions } from '../refuse-issues';
import { parseManifest, type ParsedManifest } from './parse-manifest';
import { pauseRemovedReads, type ReadRemoval } from './pause-removed-reads';
import { refusedUpload } from './refused-upload';
import { uploadNamedBy, uploadScheme } from './upload-address';

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

const shownCharacters = 200;
const ask =
  'Ask GET /v1/generate-upload-url for an address, PUT the zip there, and send gs://<bucket>/<path> within an hour; or send the text as sourceYaml.';

/**
 * Text of the manifest that a `sourceZipUrl` names. It is looked up, never fetched: whatever else an address leads to, nobody goes there.
 * @throws ValidationError 400; what belongs to another project is answered as what was never there
 */
async function readUpload(
  { store }: Pick<ManagementContext, 'store'>,
  projectId: string,
  sourceZipUrl: string,
): Promise<string> {
  const refused = (detail: string, remedy: string) => {
    const value = sourceZipUrl.slice(0, shownCharacters);
    return refusedUpload({ in: 'body', name: 'sourceZipUrl', detail, value }, remedy);
  };
  if (!sourceZipUrl.startsWith(uploadScheme)) {
    throw refused(`must start with ${uploadScheme}: nothing is fetched from elsewhere`, ask);
  }
  const key = uploadNamedBy(sourceZipUrl);
  const upload = key?.projectId === projectId ? await store.uploads.find(key) : undefined;
  if (upload === undefined) throw refused('names no upload of this project of the last hour', ask);
  if (upload.manifest === undefined) {
    throw refused(
      'names an upload to which nothing was put',
      'PUT the zip to the url that came with this path, first.',
    );
  }
  return upload.manifest.toString('utf8');
}
