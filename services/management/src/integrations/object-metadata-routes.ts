import { providerProblemCodes } from '@sluice/errors';
import { json, jsonText, type Router } from '@sluice/http';
import { limits, nameText, objectMetadataSchema, type Integration, type ObjectMetadata } from '@sluice/types';
import { assertGroup } from '../caller-group';
import type { ManagementContext } from '../context';
import { getProvider } from '../connections/get-provider';
import { integrationPath, projectPath } from '../paths';
import { getDefaultConnection } from '../connections/get-connection';
import { describeObject, shownFields } from './describe-object';
import { projectRoute } from '../projects/project-route';
import { integrationRoute } from './integration-route';

interface MetadataQuery {
  readonly groupRef: string;
  readonly excludeReadOnly?: boolean;
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string; objectName: string };
  readonly query: MetadataQuery;
}

interface ProviderParts {
  readonly params: { projectIdOrName: string; provider: string; objectName: string };
  readonly query: MetadataQuery;
}

const metadataQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['groupRef'],
  properties: { groupRef: nameText, excludeReadOnly: { type: 'boolean', default: false } },
} as const;

const replies = { 200: json(objectMetadataSchema) };
const problems = ['group.not-found', 'connection.not-found', 'object.not-found', ...providerProblemCodes] as const;

/** `GET I/objects/{objectName}/metadata` and `GET P/providers/{provider}/objects/{objectName}/metadata`. */
export function objectMetadataRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${integrationPath}/objects/:objectName/metadata`,
    integrationRoute<IntegrationParts>(context, {
      operationId: 'getObjectMetadataForInstallation',
      summary: "Get an object's fields for an integration",
      description: 'The object by its mapped or its native name. Fields are at most a minute old.',
      tags: ['Object metadata'],
      replies,
      problems,
      scopes: ['frontend', 'read', 'token'],
      query: metadataQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query, traceparent }, integration) => {
        assertGroup(caller, query.groupRef);
        const order = { ...query, objectName: params.objectName, traceparent };
        return { stream: jsonText(await getObjectMetadata(context, integration, order)) };
      },
    }),
  );
  router.get(
    `${projectPath}/providers/:provider/objects/:objectName/metadata`,
    projectRoute<ProviderParts>(context, {
      operationId: 'getObjectMetadataForConnection',
      summary: "Get an object's fields at a provider",
      description: "At the group's newest connection to the provider. Fields are at most a minute old.",
      tags: ['Object metadata'],
      replies,
      problems: ['provider.not-in-catalogue', ...problems],
      scopes: ['frontend', 'read', 'token'],
      query: metadataQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query, traceparent }, project) => {
        const { provider } = getProvider(context, params.provider);
        assertGroup(caller, query.groupRef);
        const order = { ...query, objectName: params.objectName, traceparent };
        return {
          stream: jsonText(await getProviderObjectMetadata(context, { projectId: project.id, provider }, order)),
        };
      },
    }),
  );
}

/** What a metadata request asks for. */
interface MetadataOrder {
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
async function getObjectMetadata(
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
async function getProviderObjectMetadata(
  context: ManagementContext,
  { projectId, provider }: { readonly projectId: string; readonly provider: string },
  { groupRef, objectName, excludeReadOnly, traceparent }: MetadataOrder,
): Promise<ObjectMetadata> {
  const { id: connectionId } = await getDefaultConnection(context, projectId, { groupRef, provider });
  const question = { projectId, connectionId, provider, objectName, traceparent };
  return shownFields(await describeObject(context, question), excludeReadOnly);
}
