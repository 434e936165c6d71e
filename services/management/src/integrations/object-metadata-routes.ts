import { providerProblemCodes } from '@sluice/errors';
import { json, jsonText, route, type Router } from '@sluice/http';
import { limits, nameText, objectMetadataSchema } from '@sluice/types';
import { assertGroup } from '../caller-group';
import type { ManagementContext } from '../context';
import { getIntegration } from './get-integration';
import { getObjectMetadata, getProviderObjectMetadata } from './get-object-metadata';
import { getProject } from '../projects/get-project';
import { getProvider } from '../connections/get-provider';
import { integrationPath, projectPath } from '../paths';

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
    route<IntegrationParts>({
      operationId: 'getObjectMetadataForInstallation',
      summary: "Get an object's fields for an integration",
      description: 'The object by its mapped or its native name. Fields are at most a minute old.',
      tags: ['Object metadata'],
      replies,
      problems,
      scopes: ['frontend', 'read', 'token'],
      query: metadataQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query, traceparent }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        assertGroup(caller, query.groupRef);
        const order = { ...query, objectName: params.objectName, traceparent };
        return { stream: jsonText(await getObjectMetadata(context, integration, order)) };
      },
    }),
  );
  router.get(
    `${projectPath}/providers/:provider/objects/:objectName/metadata`,
    route<ProviderParts>({
      operationId: 'getObjectMetadataForConnection',
      summary: "Get an object's fields at a provider",
      description: "At the group's newest connection to the provider. Fields are at most a minute old.",
      tags: ['Object metadata'],
      replies,
      problems: ['provider.not-in-catalogue', ...problems],
      scopes: ['frontend', 'read', 'token'],
      query: metadataQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query, traceparent }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
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
