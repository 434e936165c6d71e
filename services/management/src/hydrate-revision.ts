import { NotFoundError, ProviderError } from '@sluice/errors';
import type {
  Connection,
  HydratedField,
  HydratedIntegration,
  HydratedReadObject,
  HydratedRevision,
  HydratedWriteObject,
  Integration,
  IntegrationField,
  ManifestIntegration,
  ManifestReadObject,
  ManifestWriteObject,
  ObjectMetadata,
} from '@sluice/types';
import { publishManifestIntegration } from '@sluice/types';
import type { ManagementContext } from './context';
import { describeObject, findField } from './describe-object';

/** What a hydration is asked for. */
export interface HydrationOrder {
  readonly integration: Integration;
  readonly revisionId: string;
  readonly connection: Connection;
  readonly traceparent: string;
}

/** What the account says of one object, or why it says nothing. */
type Described = { readonly metadata: ObjectMetadata } | { readonly error: string };

/** Objects that are asked for at once. Ours: a burst of a form that opens, far under every provider's limit. */
const atOnce = 4;

/**
 * A revision with the account's own names and fields. An object that the account does not have or show carries an `error`;
 * what concerns the account as a whole fails the request.
 * @throws NotFoundError `revision.not-found`; ProviderError
 */
export async function hydrateRevision(context: ManagementContext, order: HydrationOrder): Promise<HydratedRevision> {
  const { integration, revisionId } = order;
  const revision = await context.store.integrations.findRevision(integration.projectId, revisionId);
  if (revision?.integrationId !== integration.id) throw revisionNotFound();
  const { id, specVersion, createTime } = revision;
  const content = publishManifestIntegration(revision.content);
  const described = await describeAll(context, order, content);
  return { id, specVersion, createTime, content: hydrated(content, described) };
}

async function describeAll(
  context: ManagementContext,
  order: HydrationOrder,
  { read, write }: ManifestIntegration,
): Promise<ReadonlyMap<string, Described>> {
  const declared = [...(read?.objects ?? []), ...(write?.objects ?? [])];
  const left = [...new Set(declared.map(({ objectName }) => objectName))];
  const described = new Map<string, Described>();
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      described.set(name, await describeOne(context, order, name));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return described;
}

async function describeOne(
  context: ManagementContext,
  { integration, connection, traceparent }: HydrationOrder,
  objectName: string,
): Promise<Described> {
  const { projectId, provider } = integration;
  try {
    const question = { projectId, connectionId: connection.id, provider, objectName, traceparent };
    return { metadata: await describeObject(context, question) };
  } catch (error) {
    const isOfObject =
      (error instanceof NotFoundError && error.code === 'object.not-found') ||
      (error instanceof ProviderError && error.class === 'forbidden');
    if (isOfObject) return { error: error.detail };
    throw error;
  }
}

function hydrated(content: ManifestIntegration, described: ReadonlyMap<string, Described>): HydratedIntegration {
  const { read, write, subscribe: _subscribed, watchSchema: _watched, ...rest } = content;
  const of = (name: string) => described.get(name) as Described;
  return {
    ...rest,
    ...(read && { read: { objects: (read.objects ?? []).map((one) => hydratedRead(one, of(one.objectName))) } }),
    ...(write && { write: { objects: (write.objects ?? []).map((one) => hydratedWrite(one, of(one.objectName))) } }),
  };
}

function hydratedRead(object: ManifestReadObject, described: Described): HydratedReadObject {
  const { requiredFields, optionalFields, destination = '', schedule = '', ...rest } = object;
  const fieldsOf = (fields: readonly IntegrationField[]) => fields.map((field) => hydratedField(field, described));
  return {
    ...rest,
    displayName: shownName(object, described),
    destination,
    schedule,
    ...(requiredFields && { requiredFields: fieldsOf(requiredFields) }),
    ...(optionalFields && { optionalFields: fieldsOf(optionalFields) }),
    ...('error' in described ? { error: described.error } : accountFields(described.metadata)),
  };
}

function accountFields({ fields }: ObjectMetadata): Pick<HydratedReadObject, 'allFields' | 'allFieldsMetadata'> {
  const allFields = Object.entries(fields).map(([fieldName, { displayName }]) => ({ fieldName, displayName }));
  return { allFieldsMetadata: fields, allFields };
}

function hydratedWrite(object: ManifestWriteObject, described: Described): HydratedWriteObject {
  return { ...object, displayName: shownName(object, described) };
}

/** A field that the account lacks is shown under its own name. */
function hydratedField(field: IntegrationField, described: Described): HydratedField {
  const { fieldName } = field;
  if (fieldName === undefined) return field;
  const known = 'error' in described ? undefined : findField(described.metadata, fieldName);
  return { ...field, displayName: known?.displayName ?? fieldName };
}

function shownName({ objectName }: { readonly objectName: string }, described: Described): string {
  return ('error' in described ? undefined : described.metadata.displayName) ?? objectName;
}

function revisionNotFound(): NotFoundError {
  const detail = 'revisionId: there is no such revision of this integration.';
  return new NotFoundError({ code: 'revision.not-found', detail });
}
