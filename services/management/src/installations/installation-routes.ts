import { providerProblemCodes } from '@sluice/errors';
import { type Router, json, jsonList } from '@sluice/http';
import {
  type CreateInstallationRequest,
  createInstallationRequestSchema,
  installationSchema,
  type Page,
  pageProperties,
  type PageQuery,
  reachOf,
} from '@sluice/types';
import { assertGroup } from '../caller-group';
import type { ManagementContext } from '../context';
import { createInstallation } from './create-installation';
import { getInstallation } from './get-installation';
import { wholeList } from '../paged-list';
import { presentInstallation } from '../connections/present-connection';
import { undeclaredWarning } from '../integrations/manifest-warnings';
import { integrationPath, linkToNext, listBytesMax, projectPath, samplingQuery } from '../paths';
import { projectRoute } from '../projects/project-route';
import { integrationRoute } from '../integrations/integration-route';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
  readonly query: { groupRef?: string } & PageQuery;
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
  readonly query: { groupRef?: string } & PageQuery;
}

interface CreationParts extends Pick<IntegrationParts, 'params'> {
  readonly query: { skipSampling?: boolean };
  readonly body: CreateInstallationRequest;
}

interface InstallationParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
}

const groupQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { groupRef: { type: 'string', minLength: 1 }, ...pageProperties },
} as const;

/** `GET P/installations`, `GET` and `POST I/installations`, `GET I/installations/{installationId}`. */
export function installationRoutes(router: Router, context: ManagementContext): void {
  listRoutes(router, context);
  itemRoutes(router, context);
}

function listRoutes(router: Router, context: ManagementContext): void {
  const { installations } = context.store;
  router.get(
    `${projectPath}/installations`,
    projectRoute<ProjectParts>(context, {
      operationId: 'listInstallationsForProject',
      summary: 'List the installations of a project',
      tags: ['Installations'],
      replies: { 200: jsonList(installationSchema, linkToNext) },
      scopes: ['frontend', 'read', 'token'],
      query: groupQuery,
      replyBytesMax: listBytesMax,
      handle: async (request, project) => {
        const { caller, query } = request;
        const filter = { ...query, ...reachOf(caller) };
        const read = (page: Page) => installations.listPage(project.id, filter, page);
        return await wholeList(request, read, (installation) => presentInstallation(caller, installation));
      },
    }),
  );
  router.get(
    `${integrationPath}/installations`,
    integrationRoute<IntegrationParts>(context, {
      operationId: 'listInstallations',
      summary: 'List the installations of an integration',
      tags: ['Installations'],
      replies: { 200: jsonList(installationSchema, linkToNext) },
      scopes: ['frontend', 'read', 'token'],
      query: groupQuery,
      replyBytesMax: listBytesMax,
      handle: async (request, integration) => {
        const { caller, query } = request;
        const filter = { ...query, ...reachOf(caller), integrationId: integration.id };
        const read = (page: Page) => installations.listPage(integration.projectId, filter, page);
        return await wholeList(request, read, (installation) => presentInstallation(caller, installation));
      },
    }),
  );
}

function itemRoutes(router: Router, context: ManagementContext): void {
  router.post(
    `${integrationPath}/installations`,
    integrationRoute<CreationParts>(context, {
      operationId: 'createInstallation',
      summary: 'Install an integration',
      tags: ['Installations'],
      example: {
        groupRef: 'demo-group',
        config: { content: { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } } },
      },
      replies: {
        201: json(installationSchema, {
          'Sluice-Warning': { description: 'Objects that the manifest does not declare.' },
        }),
      },
      problems: [
        'group.not-found',
        'installation.exists',
        'installation.config-invalid',
        'connection.not-found',
        'revision.not-found',
        ...providerProblemCodes,
      ],
      scopes: ['frontend', 'token'],
      query: samplingQuery,
      body: createInstallationRequestSchema,
      handle: async ({ caller, query, body, traceparent }, integration) => {
        assertGroup(caller, body.groupRef);
        const order = { integration, caller, request: body, ...query, traceparent };
        const { installation, warnings } = await createInstallation(context, order);
        const headers = undeclaredWarning(integration, installation, warnings);
        return { status: 201, body: presentInstallation(caller, installation), headers };
      },
    }),
  );
  router.get(
    `${integrationPath}/installations/:installationId`,
    integrationRoute<InstallationParts>(context, {
      operationId: 'getInstallation',
      summary: 'Get an installation',
      tags: ['Installations'],
      replies: { 200: json(installationSchema) },
      scopes: ['frontend', 'read', 'token'],
      handle: async ({ caller, params }, integration) => {
        const installation = await getInstallation(context, integration, params.installationId, caller);
        return { body: presentInstallation(caller, installation) };
      },
    }),
  );
}
