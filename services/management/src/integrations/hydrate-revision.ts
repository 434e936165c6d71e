import { NotFoundError, ProviderError } from '@sluice/errors';
import { jsonText } from '@sluice/http';
import type {
  Connection,
  HydratedField,
  HydratedReadObject,
  HydratedWriteObject,
  Integration,
  IntegrationField,
  ManifestReadObject,
  ManifestWriteObject,
  ObjectMetadata,
} from '@sluice/types';
import { publishManifestIntegration } from '@sluice/types';
import type { ManagementContext } from '../context';
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
 * The text of a revision with the account's own names and fields, a few objects at a time: an account may have megabytes of fields in each. An
 * object that the account does not have or show carries an `error`; what concerns the account as a whole fails the request.
 * @throws NotFoundError `revision.not-found`; ProviderError
 */
export async function* hydratedRevisionText(
  context: ManagementContext,
  order: HydrationOrder,
): AsyncGenerator<string, void, undefined> {
  const { integration, revisionId } = order;
  const revision = await context.store.integrations.findRevision(integration.projectId, revisionId);
  if (revision?.integrationId !== integration.id) throw revisionNotFound();
  const { id, specVersion, createTime } = revision;
  const {
    read,
    write,
    subscribe: _subscribed,
    watchSchema: _watched,
    ...rest
  } = publishManifestIntegration(revision.content);
  yield `${opened({ id, specVersion, createTime })},"content":${opened(rest)}`;
  if (read) yield* objectsText(context, order, { name: 'read', objects: read.objects, hydrate: hydratedRead });
  if (write) yield* objectsText(context, order, { name: 'write', objects: write.objects, hydrate: hydratedWrite });
  yield '}}';
}

/** The text of an object with members, without its end. */
function opened(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** What a revision has under `read` or `write`. */
interface Part<Declared> {
  readonly name: string;
  readonly objects: readonly Declared[] | undefined;
  readonly hydrate: (object: Declared, described: Described) => object;
}

async function* objectsText<Declared extends { readonly objectName: string }>(
  context: ManagementContext,
  order: HydrationOrder,
  { name, objects = [], hydrate }: Part<Declared>,
): AsyncGenerator<string, void, undefined> {
  yield `,"${name}":{"objects":[`;
  for (let from = 0; from < objects.length; from += atOnce) {
    const some = objects.slice(from, from + atOnce);
    const described = await Promise.all(some.map(({ objectName }) => describeOne(context, order, objectName)));
    for (const [at, object] of some.entries()) {
      if (from + at > 0) yield ',';
      yield* jsonText(hydrate(object, described[at] as Described));
    }
  }
  yield ']}';
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
