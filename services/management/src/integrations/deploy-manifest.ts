import { fieldFault, nearProviders, readYaml, type YamlPosition } from '@sluice/connectors';
import { ValidationError, type Issue } from '@sluice/errors';
import { invalid, parseJson, validate, type RouteRequest } from '@sluice/http';
import { yieldToEventLoop } from '@sluice/telemetry';
import {
  authorOf,
  checkManifest,
  checkManifestIntegration,
  limits,
  manifestIntegrationSchema,
  manifestSchema,
  pathOf,
  publishManifestIntegration,
  withObject,
  type Caller,
  type ConfigContent,
  type DeployManifestRequest,
  type Integration,
  type IntegrationPreview,
  type Manifest,
  type ManifestIntegration,
  type ManifestPreview,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { refuseIssues } from '../refusals';
import { deployedWarning } from './get-integration';
import { readUpload } from './uploads';

/** Bytes of the contents that a preview compares with. Our choice: two manifests, each as large as one may be. */
const standingBytesMax = 2 * limits.bodyBytesMax;

/** A request to deploy. With `destructive` installations stop reading the objects that the manifest takes from their integration. */
type Deployment = RouteRequest<{ body: DeployManifestRequest; query: { readonly destructive?: boolean } }>;

/**
 * Creates or revises an integration per entry of a manifest; all or none. Integrations that the manifest leaves out
 * stay as they are, with their installations: only a request of its own deletes one.
 * @returns those that the manifest names
 * @throws ConflictError `integration.name-taken` when a name stands for another provider
 */
export async function deployManifest(
  context: ManagementContext,
  projectId: string,
  { body, query, caller }: Deployment,
): Promise<Integration[]> {
  const manifest = await readManifest(context, projectId, body);
  if (query.destructive === true) {
    // Twice over them, so that no two of the contents in force are in memory at once.
    const standingOf = async ({ name }: ManifestIntegration) => {
      const standing = await context.store.integrations.find(projectId, name);
      // An integration whose id is this name is another one.
      return standing?.name === name ? standing : undefined;
    };
    let isRefused = false;
    for (const after of manifest.integrations) {
      const { provider = after.provider } = (await standingOf(after)) ?? {};
      isRefused ||= provider !== after.provider;
    }
    for (const after of isRefused ? [] : manifest.integrations) {
      const standing = await standingOf(after);
      if (standing !== undefined) await pauseRemovedReads(context, caller, standing, after);
    }
  }
  const deployed = await context.store.integrations.putAll(
    projectId,
    entriesOf(projectId, manifest, manifest.integrations, caller),
  );
  context.logger.info({ projectId, integrations: deployed.length }, 'manifest.deployed');
  return deployed;
}

/**
 * What a deployment of the manifest would do now, with the content in force and the one that would be. Nothing is changed.
 * @throws what the deployment would be refused with
 */
export async function previewManifest(
  context: ManagementContext,
  projectId: string,
  body: DeployManifestRequest,
): Promise<{ readonly body: ManifestPreview; readonly headers: Record<string, string> }> {
  const manifest = await readManifest(context, projectId, body);
  const given = entriesOf(projectId, manifest, manifest.integrations);
  await refuseLarge(context, projectId, given);
  const compared = await context.store.integrations.compareAll(projectId, given);
  const integrations = compared.map(({ standing, isSame = false }, at): IntegrationPreview => {
    const { name, provider, content } = given[at] as (typeof given)[number];
    const after = publishManifestIntegration(content);
    if (standing === undefined) return { name, provider, change: 'created', after };
    const before = publishManifestIntegration(standing.latestRevision.content);
    return { name, provider, change: isSame ? 'unchanged' : 'revised', integrationId: standing.id, before, after };
  });
  return { body: { integrations }, headers: deployedWarning(context, manifest.integrations) };
}

/** Otherwise a manifest of a few names would read the contents of a hundred deployments. */
async function refuseLarge(
  { store }: ManagementContext,
  projectId: string,
  given: readonly { readonly name: string }[],
): Promise<void> {
  const names = given.map(({ name }) => name);
  const bytes = await store.integrations.bytesOfAll(projectId, names);
  if (bytes <= standingBytesMax) return;
  const detail = `would replace contents of ${bytes} bytes together; a preview shows at most ${standingBytesMax}`;
  const issues = [{ in: 'body' as const, name: 'integrations', detail, value: `list of ${names.length}` }];
  throw invalid(issues, { remedy: 'Preview a manifest with fewer of the integrations, one after the other.' });
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
  standing: Integration,
  { body, query, caller }: Deployment,
): Promise<Integration> {
  const { projectId, name } = standing;
  const manifest = await readManifest(context, projectId, body);
  const after = manifest.integrations.find((integration) => integration.name === name);
  if (after === undefined) {
    const names = manifest.integrations.map((integration) => integration.name).join(', ') || 'none';
    const detail = `has no integration called ${name}; it has: ${names}`;
    throw invalid([{ in: 'body', name: sourceOf(body), detail }]);
  }
  if (query.destructive === true && standing.provider === after.provider)
    await pauseRemovedReads(context, caller, standing, after);
  const entries = entriesOf(projectId, manifest, [after], caller);
  const [integration] = (await context.store.integrations.putAll(projectId, entries)) as [Integration];
  const { id: integrationId, latestRevision } = integration;
  context.logger.info({ projectId, integrationId, revisionId: latestRevision.id }, 'revision.created');
  return integration;
}

/** @param caller who deploys them. @default none: they are only compared */
function entriesOf(
  projectId: string,
  { specVersion }: Manifest,
  contents: readonly ManifestIntegration[],
  caller?: Caller,
) {
  const author = caller === undefined ? {} : { createdBy: authorOf(caller) };
  return contents.map((content) => {
    const { name, provider } = content;
    return { projectId, name, provider, specVersion, content, ...author };
  });
}

/**
 * Disables, in every installation, the read objects that the latest revision of its integration has and the new manifest lacks. Only objects that
 * the installation configures: the others have no switch. An installation at a time, so that no two configs are in memory at once. Run before the
 * manifest is in force: a request that fails halfway and is sent again then still finds the difference. Not called where a name stands for
 * another provider: then the deployment is about to be refused.
 */
async function pauseRemovedReads(
  { logger, store: { installations } }: ManagementContext,
  caller: Caller,
  standing: Integration,
  after: ManifestIntegration,
): Promise<void> {
  const { projectId, id: integrationId } = standing;
  const kept = new Set(readNames(after));
  const removed = readNames(standing.latestRevision.content).filter((name) => !kept.has(name));
  const reading = removed.length === 0 ? [] : await installations.idsReading(projectId, integrationId, removed);
  for (const installationId of reading) {
    const changed = await installations.change({ projectId, integrationId, installationId }, (current) => ({
      connectionId: current.connectionId,
      content: removed.reduce(disabled, current.content),
      createdBy: authorOf(caller),
    }));
    if (changed === undefined) continue;
    logger.info({ projectId, installationId, configId: changed.config.id }, 'installation.updated');
  }
}

const readNames = ({ read }: ManifestIntegration) => (read?.objects ?? []).map(({ objectName }) => objectName);

function disabled(content: ConfigContent, objectName: string): ConfigContent {
  const { objects = {} } = content.read ?? {};
  if (!Object.hasOwn(objects, objectName)) return content;
  return withObject(content, { action: 'read', objectName }, { ...objects[objectName], disabled: true });
}

/** Member of the request that the text came with, or that names it. */
const sourceOf = ({ sourceYaml }: DeployManifestRequest) => (sourceYaml === undefined ? 'sourceZipUrl' : 'sourceYaml');

/**
 * The manifest of a request, which is its text or a zip that was put before.
 * @throws ValidationError with all problems at once, each with its path inside the manifest and its line and column. 400; 422 `provider.unknown` where
 * nothing else is wrong
 */
async function readManifest(
  context: ManagementContext,
  projectId: string,
  request: DeployManifestRequest,
): Promise<Manifest> {
  const { sourceYaml, sourceZipUrl = '' } = request;
  const text = sourceYaml ?? (await readUpload(context, projectId, sourceZipUrl));
  // A megabyte of YAML holds the event loop for a quarter of a second.
  await yieldToEventLoop();
  const { json, positionOf } = readText(text, sourceOf(request));
  try {
    return checkAll(context, parseJson(json));
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, detail: `${issue.detail} ${positionOf(issue.name)}` }));
    throw invalid(issues, error);
  }
}

interface ReadText {
  readonly json: string;
  /**
   * Line and column of a path as issues spell it, both from 1: of the member itself, or of what lacks it.
   * `integrations[0].name` to `(line 3, column 5)`.
   */
  readonly positionOf: (path: string) => string;
}

/**
 * Reads the text of a manifest, YAML 1.2 or JSON, which is a part of it, under the limits of the JSON reader. Values pass through JSON, so what
 * YAML has besides (dates, tags, binary, anchors used as types) does not get in.
 * @throws ValidationError 400 for what is neither
 */
function readText(text: string, source: string): ReadText {
  const read = readYaml(text);
  if (read.ok) {
    const { json, positionOf } = read.text;
    return { json, positionOf: (path) => shown(positionOf(stepsOf(path))) };
  }
  throw invalid(
    read.problems.slice(0, limits.issuesMax).map(({ reason, position }) => {
      const where = position === undefined ? '' : ` ${shown(position)}`;
      return { in: 'body', name: source, detail: `is not readable as YAML or JSON: ${reason}${where}` };
    }),
  );
}

const checkSchema = validate<Manifest>(manifestSchema);
const checkEntry = validate<ManifestIntegration>(manifestIntegrationSchema);

/** @throws ValidationError with the issues of the form, and those of the rules and the providers wherever the form allows to see them */
function checkAll(context: ManagementContext, value: unknown): Manifest {
  const manifest = checked(checkSchema, value);
  const ofForm = manifest instanceof ValidationError ? manifest.issues : [];
  const entries = entriesOfText(value);
  const issues = [
    ...ofForm,
    ...(manifest instanceof ValidationError ? [] : checkManifest(manifest)),
    ...entries.flatMap((entry, index): Issue[] => {
      const path = pathOf('integrations', index);
      const integration = checked(checkEntry, entry);
      if (integration instanceof ValidationError) return [];
      const ofRules = manifest instanceof ValidationError ? checkManifestIntegration(integration, path) : [];
      return [...ofRules, ...fieldIssues(context, integration, `${path}.read.objects`)];
    }),
  ];
  const named = new Set(ofForm.map(({ name }) => name));
  const unknown = unknownProviders(context, entries).filter(({ name }) => !named.has(name));
  refuseIssues([...issues, ...unknown], issues.length === 0 ? 'provider.unknown' : undefined);
  return manifest as Manifest;
}

/** The value, or why it is not of the form. */
function checked<T>(check: (value: unknown) => T, value: unknown): T | ValidationError {
  try {
    return check(value);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

function entriesOfText(value: unknown): readonly unknown[] {
  const list = (value as { integrations?: unknown } | null)?.integrations;
  return Array.isArray(list) ? list : [];
}

function unknownProviders({ connectors }: ManagementContext, entries: readonly unknown[]): Issue[] {
  return entries.flatMap((entry, index): Issue[] => {
    const { provider } = (entry ?? {}) as { provider?: unknown };
    if (typeof provider !== 'string' || connectors.find(provider) !== undefined) return [];
    const detail = `is not known; ${nearProviders(connectors.names(), provider)}`;
    return [{ in: 'body', name: `integrations[${index}].provider`, detail, value: provider }];
  });
}

/** Fields of read objects that the provider cannot have, whatever the account: a search or a write would meet them first. */
function fieldIssues(
  { connectors }: ManagementContext,
  { provider, read }: ManifestIntegration,
  path: string,
): Issue[] {
  const fields = connectors.find(provider)?.capabilities.fields;
  if (fields === undefined) return [];
  return (read?.objects ?? []).flatMap((object, at) =>
    (['requiredFields', 'optionalFields'] as const).flatMap((list) =>
      (object[list] ?? []).flatMap((field, index) =>
        (['fieldName', 'default'] as const).flatMap((member): Issue[] => {
          const name = field[member];
          const detail = name === undefined ? undefined : fieldFault(fields, object.objectName, name);
          if (detail === undefined) return [];
          return [{ in: 'body', name: `${path}[${at}].${list}[${index}].${member}`, detail, value: name }];
        }),
      ),
    ),
  );
}

const shown = ({ line, column }: YamlPosition) => `(line ${line}, column ${column})`;

/** `a[0]["b c"].d` as its steps. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([\w$-]+)/g)].map(([, index, quoted, plain]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (plain ?? '') : (JSON.parse(quoted) as string);
  });
}
