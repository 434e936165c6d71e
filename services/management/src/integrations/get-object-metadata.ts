import type { Integration, ObjectMetadata } from '@sluice/types';
import type { ManagementContext } from '../context';
import { describeObject, shownFields } from './describe-object';
import { getDefaultConnection } from '../connections/get-connection';

/** What a metadata request asks for. */
export interface MetadataOrder {
  readonly groupRef: string;
  /** The provider's name; for an integration the mapped name too. */
  readonly objectName: string;
  /** Without what cannot be written. @default false */
  readonly excludeReadOnly?: boolean;
  readonly traceparent: string;
}

/**
 * Fields of an object at the account of a group's installation; before there is one, at the group's default connection.
 * @throws NotFoundError `connection.not-found`, `object.not-found`; ProviderError
 */
export async function getObjectMetadata(
  context: ManagementContext,
  integration: Integration,
  order: MetadataOrder,
): Promise<ObjectMetadata> {
  const { projectId, provider, latestRevision } = integration;
  const { groupRef, objectName: asked } = order;
  const declared = latestRevision.content.read?.objects?.find(
    ({ objectName, mapToName }) => objectName === asked || mapToName === asked,
  );
  const filter = { integrationId: integration.id, groupRef };
  const [installation] = await context.store.installations.list(projectId, filter);
  const { id: connectionId } =
    installation?.connection ?? (await getDefaultConnection(context, projectId, { groupRef, provider }));
  const objectName = declared?.objectName ?? asked;
  const { module } = latestRevision.content;
  const question = { projectId, connectionId, provider, objectName, module, traceparent: order.traceparent };
  const metadata = shownFields(await describeObject(context, question), order.excludeReadOnly);
  const mapped = declared?.mapToName;
  return mapped === undefined ? metadata : { ...metadata, mappedObjectName: mapped };
}

/**
 * The same for a provider's own name, at the group's default connection.
 * @throws NotFoundError `connection.not-found`, `object.not-found`; ProviderError
 */
export async function getProviderObjectMetadata(
  context: ManagementContext,
  { projectId, provider }: { readonly projectId: string; readonly provider: string },
  { groupRef, objectName, excludeReadOnly, traceparent }: MetadataOrder,
): Promise<ObjectMetadata> {
  const { id: connectionId } = await getDefaultConnection(context, projectId, { groupRef, provider });
  const question = { projectId, connectionId, provider, objectName, traceparent };
  return shownFields(await describeObject(context, question), excludeReadOnly);
}
