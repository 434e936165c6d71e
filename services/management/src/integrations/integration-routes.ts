import { type Router, json, jsonList, noBody } from '@sluice/http';
import {
  type CreateIntegrationRequest,
  createIntegrationRequestSchema,
  integrationSchema,
  type PageQuery,
  publishIntegration,
  checkCreateIntegrationRequest,
  type Integration,
  limits,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { wholeList } from '../paged-list';
import { deployedHeaders, integrationPath, linkToNext, listBytesMax, pageQuery, projectPath } from '../paths';
import { getConnector } from '../connections/get-connector';
import { refuseIssues } from '../refuse-issues';
import { getIntegration, integrationNotFound } from './get-integration';
import { deployedWarning } from './manifest-warnings';
import { projectRoute } from '../projects/project-route';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
}

/** `GET` and `POST P/integrations`, `GET` and `DELETE P/integrations/{integrationIdOrName}`. */
export function integrationRoutes(router: Router, context: ManagementContext): void {
  routesOfAll(router, context);
  routesOfOne(router, context);
}

function routesOfAll(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/integrations`,
    projectRoute<ProjectParts & { readonly query: PageQuery }>(context, {
      operationId: 'listIntegrations',
      summary: 'List integrations',
      tags: ['Integrations'],
      replies: { 200: jsonList(integrationSchema, linkToNext) },
      scopes: ['frontend', 'read', 'token'],
      query: pageQuery,
      replyBytesMax: listBytesMax,
      handle: async (request, project) => {
        return await wholeList(
          request,
          (page) => context.store.integrations.listPage(project.id, page),
          publishIntegration,
        );
      },
    }),
  );
  router.post(
    `${projectPath}/integrations`,
    projectRoute<ProjectParts & { readonly body: CreateIntegrationRequest }>(context, {
      operationId: 'createIntegration',
      summary: 'Create an integration',
      tags: ['Integrations'],
      replies: {
        201: noBody('The integration is made.', {
          Location: { description: 'Its address.', required: true },
          ...deployedHeaders,
        }),
      },
      problems: ['integration.name-taken', 'provider.unknown'],
      scopes: ['frontend'],
      body: createIntegrationRequestSchema,
      handle: async ({ body }, project) => {
        const made = await createIntegration(context, project.id, body);
        // The published API answers without a body; the header says what was made.
        const Location = `/v1/projects/${project.id}/integrations/${made.id}`;
        return { status: 201, headers: { Location, ...deployedWarning(context, [made]) } };
      },
    }),
  );
}

function routesOfOne(router: Router, context: ManagementContext): void {
  router.get(
    integrationPath,
    projectRoute<IntegrationParts>(context, {
      operationId: 'getIntegration',
      summary: 'Get an integration',
      tags: ['Integrations'],
      replies: { 200: json(integrationSchema) },
      scopes: ['frontend', 'read', 'token'],
      handle: async ({ params }, project) => {
        return { body: publishIntegration(await getIntegration(context, project.id, params.integrationId)) };
      },
    }),
  );
  router.delete(
    integrationPath,
    projectRoute<IntegrationParts>(context, {
      operationId: 'deleteIntegration',
      summary: 'Delete an integration',
      description: 'Its installations are deleted with it.',
      tags: ['Integrations'],
      replies: { 204: noBody('It is deleted, with its installations.') },
      scopes: ['frontend'],
      handle: async ({ params }, project) => {
        await deleteIntegration(context, await getIntegration(context, project.id, params.integrationId));
        return { status: 204 };
      },
    }),
  );
}

/** @throws ConflictError `integration.name-taken` */
async function createIntegration(
  context: ManagementContext,
  projectId: string,
  request: CreateIntegrationRequest,
): Promise<Integration> {
  refuseIssues(checkCreateIntegrationRequest(request));
  getConnector(context, request.provider, 'provider');
  const { name, provider, latestRevision } = request;
  const integration = await context.store.integrations.create({ projectId, name, provider, ...latestRevision });
  context.logger.info({ projectId, integrationId: integration.id }, 'integration.created');
  return integration;
}

/** Of the installations that are deleted before the integration is tried. */
const page = { size: limits.pageSizeDefault };

/**
 * Deletes an integration after its installations, each as DELETE of an installation does: what waits fails, what is being sent
 * finishes and is not tried again. An installation that is made meanwhile is found by the next pass of the loop. If this process dies, what is
 * left is an integration with fewer installations, and the same request goes on.
 * @throws NotFoundError `integration.not-found` when somebody else has deleted it
 */
async function deleteIntegration(context: ManagementContext, integration: Integration): Promise<void> {
  const { projectId, id: integrationId } = integration;
  const { installations, integrations } = context.store;
  for (;;) {
    for (const { id: installationId } of (await installations.listPage(projectId, { integrationId }, page)).items) {
      if (!(await installations.remove({ projectId, integrationId, installationId }))) continue;
      context.logger.info({ projectId, installationId }, 'installation.deleted');
    }
    const outcome = await integrations.remove(projectId, integrationId);
    if (outcome === 'absent') throw integrationNotFound();
    if (outcome === 'deleted') break;
  }
  context.logger.info({ projectId, integrationId }, 'integration.deleted');
}
