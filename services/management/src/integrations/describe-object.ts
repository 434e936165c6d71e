import { unservedModule } from '@sluice/connectors';
import { askAccount } from '@sluice/installations';
import { NotFoundError, ProviderError } from '@sluice/errors';
import type { FieldMetadata, ObjectMetadata } from '@sluice/types';
import type { ManagementContext } from '../context';

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
}

/**
 * The object's fields as the account has them now, or had them within the last minute.
 * @throws NotFoundError `object.not-found` when the account has no such object, in the provider's words
 * @throws ProviderError for what else the provider refuses, or does not answer
 */
export async function describeObject(context: ManagementContext, question: ObjectQuestion): Promise<ObjectMetadata> {
  const { projectId, connectionId, provider, objectName, traceparent } = question;
  const connector = context.connectors.get(provider);
  const unserved = unservedModule(connector, question.module);
  if (unserved !== undefined) throw unknownObject(objectName, unserved);
  const { describe } = connector;
  if (describe === undefined) throw unknownObject(objectName, `${provider} does not tell its fields`);
  try {
    return await askAccount(context, { projectId, connectionId }, (auth) =>
      describe({ auth, objectName, traceparent }),
    );
  } catch (error) {
    // A name that the provider cannot even place in an address is refused, not looked for.
    if (!(error instanceof ProviderError) || (error.class !== 'rejected' && error.class !== 'not-found')) throw error;
    throw unknownObject(objectName, error.detail.replace(/\.$/, ''));
  }
}

/** Without what cannot be written, where that is asked for. */
export function shownFields(metadata: ObjectMetadata, excludeReadOnly = false): ObjectMetadata {
  if (!excludeReadOnly) return metadata;
  const writable = Object.entries(metadata.fields).filter(([, { readOnly }]) => readOnly !== true);
  return { ...metadata, fields: Object.fromEntries(writable) };
}

/** A field by its name in any case: providers take names without regard to it. */
export function findField({ fields }: ObjectMetadata, name: string): FieldMetadata | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const lower = name.toLowerCase();
  return Object.values(fields).find(({ fieldName }) => fieldName.toLowerCase() === lower);
}

function unknownObject(objectName: string, reason: string): NotFoundError {
  return new NotFoundError({
    code: 'object.not-found',
    detail: `objectName: the account has no object "${objectName.slice(0, 100)}": ${reason}.`,
  });
}
