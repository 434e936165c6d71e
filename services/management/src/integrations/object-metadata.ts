import { fieldOfObject, unservedModule } from '@sluice/connectors';
import { NotFoundError, ProviderError, providerProblemCodes } from '@sluice/errors';
import { invalid, json, jsonText, offByDefault, queryOf, type Router } from '@sluice/http';
import { callAccount } from '@sluice/installations';
import { HeldBytes } from '@sluice/telemetry';
import {
  fieldSteps,
  hydratedRevisionSchema,
  limits,
  nameText,
  objectMetadataSchema,
  publishManifestIntegration,
  type FieldMetadata,
  type FieldOf,
  type HydratedField,
  type HydratedReadObject,
  type HydratedWriteObject,
  type Integration,
  type IntegrationField,
  type ManifestReadObject,
  type ManifestWriteObject,
  type ObjectMetadata,
  type Revision,
} from '@sluice/types';
import { getConnection, getDefaultConnection, getProvider } from '../connections/get-connection';
import type { ManagementContext } from '../context';
import { routesOfProject } from '../projects/get-project';
import { assertGroup, notFound } from '../refusals';
import { routesOfIntegration } from './get-integration';

const problems = ['group.not-found', 'connection.not-found', 'object.not-found', ...providerProblemCodes] as const;

/** What both routes have in common. */
const shared = {
  replies: { 200: json(objectMetadataSchema) },
  scopes: ['frontend', 'read', 'token'],
  query: queryOf({ groupRef: nameText, excludeReadOnly: offByDefault }, 'groupRef'),
  replyBytesMax: limits.pageBytesMax,
} as const;

export function objectMetadataRoutes(router: Router, context: ManagementContext): void {
  routesOfIntegration(router, context, 'Integrations').get('/revisions/:revisionId\\:hydrate', 'getHydratedRevision', {
    summary: 'Get a revision with the fields of an account',
    description: 'The data of an installation form. Fields are at most a minute old.',
    replies: { 200: json(hydratedRevisionSchema) },
    problems: ['revision.not-found', 'connection.not-found', 'connection.scheme-mismatch', ...providerProblemCodes],
    scopes: ['frontend', 'read', 'token'],
    query: queryOf({ connectionId: nameText }, 'connectionId'),
    replyBytesMax: limits.pageBytesMax,
    handle: async ({ caller, params: { revisionId }, query, traceparent, held, signal }, integration) => {
      const { projectId, provider } = integration;
      const connection = await getConnection(context, projectId, query.connectionId, { caller, name: 'connectionId' });
      if (connection.provider !== provider) {
        const detail = `leads to ${connection.provider}, and the integration is for ${provider}`;
        throw invalid([{ in: 'query', name: 'connectionId', detail }], { code: 'connection.scheme-mismatch' });
      }
      const revision = await context.store.integrations.findRevision(projectId, revisionId);
      if (revision?.integrationId !== integration.id) throw notFound('revision.not-found');
      const question = { projectId, connectionId: connection.id, provider, traceparent };
      const describe: Describe = (objectName, inUse) =>
        describeOne(context, { ...question, objectName, held: held.adopt(inUse) });
      const use: Use = { describe, owners: held.owners, signal };
      return { stream: hydratedText(revision, use) };
    },
  });
  const ofIntegration = routesOfIntegration(router, context, 'Object metadata');
  const ofProject = routesOfProject(router, context, 'Object metadata');
  ofIntegration.get('/objects/:objectName/metadata', 'getObjectMetadataForInstallation', {
    ...shared,
    summary: "Get an object's fields for an integration",
    description: 'The object by its mapped or its native name. Fields are at most a minute old.',
    problems,
    // At the account of the group's installation; before there is one, at the group's default connection.
    handle: async ({ caller, params, query: { groupRef, excludeReadOnly }, traceparent, held }, integration) => {
      assertGroup(caller, groupRef);
      const { projectId, id: integrationId, provider, latestRevision } = integration;
      const { module } = latestRevision.content;
      const declared = declaredObject(integration, params.objectName);
      const { objectName = params.objectName, mapToName: mappedObjectName } = declared ?? {};
      const [installation] = await context.store.installations.list(projectId, { integrationId, groupRef });
      const { id: connectionId } =
        installation?.connection ?? (await getDefaultConnection(context, projectId, { groupRef, provider }));
      const question = { projectId, connectionId, provider, objectName, module, traceparent, held };
      const metadata = shownFields(await describeObject(context, question), excludeReadOnly);
      return { stream: jsonText({ ...metadata, mappedObjectName }) };
    },
  });
  ofProject.get('/providers/:provider/objects/:objectName/metadata', 'getObjectMetadataForConnection', {
    ...shared,
    summary: "Get an object's fields at a provider",
    description: "At the group's newest connection to the provider. Fields are at most a minute old.",
    problems: ['provider.not-in-catalogue', ...problems],
    handle: async ({ caller, params, query: { groupRef, excludeReadOnly }, traceparent, held }, { id: projectId }) => {
      const { provider } = getProvider(context, params.provider);
      assertGroup(caller, groupRef);
      const { objectName } = params;
      const { id: connectionId } = await getDefaultConnection(context, projectId, { groupRef, provider });
      const question = { projectId, connectionId, provider, objectName, traceparent, held };
      return { stream: jsonText(shownFields(await describeObject(context, question), excludeReadOnly)) };
    },
  });
}

/** The read object that a manifest declares under this name, its own or the mapped one. */
export function declaredObject({ latestRevision }: Integration, name: string) {
  const objects = latestRevision.content.read?.objects ?? [];
  return objects.find(({ objectName, mapToName }) => objectName === name || mapToName === name);
}

/** Which object of which account. */
export interface ObjectQuestion {
  readonly projectId: string;
  readonly connectionId: string;
  readonly provider: string;
  /** The provider's name. */
  readonly objectName: string;
  /** Part of the provider that the object is of, as a manifest names it. */
  readonly module?: string | undefined;
  readonly traceparent: string;
  /** Until it ends it holds what a large description takes. Absent: the description is read at once. */
  readonly held?: HeldBytes;
}

/**
 * The object's fields as the account has them now, or had them within the last minute.
 * @throws NotFoundError `object.not-found` when the account has no such object, in the provider's words
 * @throws ProviderError for what else the provider refuses, or does not answer
 */
export async function describeObject(context: ManagementContext, question: ObjectQuestion): Promise<ObjectMetadata> {
  const { projectId, connectionId, provider, objectName, traceparent, held } = question;
  const connector = context.connectors.get(provider);
  const unserved = unservedModule(connector, question.module);
  if (unserved !== undefined) throw unknownObject(objectName, unserved);
  const { describe } = connector;
  if (describe === undefined) throw unknownObject(objectName, `${provider} does not tell its fields`);
  try {
    return await callAccount(context, { projectId, connectionId }, (auth) =>
      describe({ auth, objectName, traceparent, held, describing: held }),
    );
  } catch (error) {
    // A name that does not even fit into the provider's address is rejected before it is looked up.
    if (!(error instanceof ProviderError) || (error.class !== 'rejected' && error.class !== 'not-found')) throw error;
    throw unknownObject(objectName, error.detail.replace(/\.$/, ''));
  }
}

/** Without what cannot be written, where that is asked for. */
function shownFields(metadata: ObjectMetadata, excludeReadOnly = false): ObjectMetadata {
  if (!excludeReadOnly) return metadata;
  const writable = Object.entries(metadata.fields).filter(([, { readOnly }]) => readOnly !== true);
  return { ...metadata, fields: Object.fromEntries(writable) };
}

/** A field by its name in any case: providers take names without regard to it. */
export function findField({ fields }: ObjectMetadata, name: string): FieldMetadata | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const known = byLowerName.get(fields) ?? new Map<string, FieldMetadata>();
  if (!byLowerName.has(fields)) {
    byLowerName.set(fields, known);
    // Of two spellings the first is found.
    for (const field of Object.values(fields).toReversed()) known.set(field.fieldName.toLowerCase(), field);
  }
  return known.get(name.toLowerCase());
}

/** Made once for an object: a manifest may name thousands of fields of one that has thousands. */
const byLowerName = new WeakMap<object, Map<string, FieldMetadata>>();

function unknownObject(objectName: string, reason: string): NotFoundError {
  const detail = `objectName: the account has no object "${objectName.slice(0, 100)}": ${reason}.`;
  return new NotFoundError({ code: 'object.not-found', detail });
}

/** What the account says of one object, or why it says nothing. */
interface Described {
  readonly metadata?: ObjectMetadata;
  /** The provider's spelling of a field. */
  readonly fieldOf?: FieldOf;
  readonly error?: string;
}

type Describe = (objectName: string, inUse: HeldBytes) => Promise<Described>;

/** The use of descriptions by one request. */
interface Use extends Pick<HeldBytes, 'owners'> {
  readonly describe: Describe;
  /** Aborted when the caller left: no further object is asked for. */
  readonly signal: AbortSignal;
}

async function describeOne(context: ManagementContext, question: ObjectQuestion): Promise<Described> {
  try {
    const { provider, objectName } = question;
    const fieldOf = fieldOfObject(context.connectors.get(provider).capabilities.fields, objectName);
    return { metadata: await describeObject(context, question), fieldOf };
  } catch (error) {
    const isOfObject =
      (error instanceof NotFoundError && error.code === 'object.not-found') ||
      (error instanceof ProviderError && error.class === 'forbidden');
    if (isOfObject) return { error: error.detail };
    throw error;
  }
}

/** Objects that are asked for at once. Our choice: the burst of a form that opens, far under every provider's limit. */
const atOnce = 4;

/** Asks for objects ahead of their use, so that their descriptions are kept for a minute. @returns of each why it has none */
async function askAhead({ describe, owners }: Use, objectNames: readonly string[]): Promise<(string | undefined)[]> {
  const ask = async (objectName: string): Promise<string | undefined> => {
    const inUse = new HeldBytes(...owners);
    return await describe(objectName, inUse)
      .then(({ error }) => error)
      .finally(() => inUse.end());
  };
  return await Promise.all(objectNames.map(ask));
}

/**
 * The text of a revision with the account's own names and fields. A few objects are asked for at a time and one is in use, because an account may have
 * megabytes of fields in each. An object that the account does not have or show carries an `error`; what concerns the account as a whole fails the
 * request.
 * @throws ProviderError
 */
async function* hydratedText({ id, specVersion, createTime, content }: Revision, use: Use) {
  const { read, write, subscribe: _, watchSchema: __, ...rest } = publishManifestIntegration(content);
  yield `${opened({ id, specVersion, createTime })},"content":${opened(rest)}`;
  if (read) yield* objectsText('read', read.objects, use, hydratedRead);
  if (write) yield* objectsText('write', write.objects, use, hydratedWrite);
  yield '}}';
}

/** The text of an object with members, without its end. */
const opened = (value: object): string => JSON.stringify(value).slice(0, -1);

async function* objectsText<Declared extends { readonly objectName: string }>(
  name: string,
  objects: readonly Declared[] = [],
  use: Use,
  hydrate: (object: Declared, described: Described) => object,
) {
  yield `,"${name}":{"objects":[`;
  for (let from = 0; from < objects.length; from += atOnce) {
    const some = objects.slice(from, from + atOnce);
    const errors = await askAhead(
      use,
      some.map(({ objectName }) => objectName),
    );
    for (const [at, object] of some.entries()) {
      if (use.signal.aborted) return;
      if (from + at > 0) yield ',';
      const inUse = new HeldBytes(...use.owners);
      try {
        const error = errors[at];
        const described = error === undefined ? await use.describe(object.objectName, inUse) : { error };
        yield* jsonText(hydrate(object, described));
      } finally {
        inUse.end();
      }
    }
  }
  yield ']}';
}

function hydratedRead(object: ManifestReadObject, described: Described): HydratedReadObject {
  const { requiredFields, optionalFields, destination = '', schedule = '', ...rest } = object;
  const { metadata, error } = described;
  const fieldsOf = (fields?: readonly IntegrationField[]) => fields?.map((field) => hydratedField(field, described));
  const all = metadata && Object.entries(metadata.fields);
  return {
    ...rest,
    displayName: metadata?.displayName ?? object.objectName,
    destination,
    schedule,
    requiredFields: fieldsOf(requiredFields),
    optionalFields: fieldsOf(optionalFields),
    error,
    allFieldsMetadata: metadata?.fields,
    allFields: all?.map(([fieldName, { displayName }]) => ({ fieldName, displayName })),
  };
}

function hydratedWrite(object: ManifestWriteObject, { metadata }: Described): HydratedWriteObject {
  return { ...object, displayName: metadata?.displayName ?? object.objectName };
}

/** A field that the account lacks is shown under its own name, and one inside an object under the object's and the rest of the path. */
function hydratedField(field: IntegrationField, { metadata, fieldOf }: Described): HydratedField {
  const { fieldName } = field;
  if (fieldName === undefined) return field;
  const spelled = fieldOf?.(fieldName) ?? fieldName;
  const [top = spelled, ...inside] = fieldSteps(spelled);
  const own = metadata && findField(metadata, spelled);
  const above = metadata && findField(metadata, top);
  return {
    ...field,
    displayName: own?.displayName ?? (above ? [above.displayName, ...inside].join(' / ') : fieldName),
  };
}
