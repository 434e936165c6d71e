import { json, jsonList, noBody, route, type Router } from '@sluice/http';
import {
  createdWebhookEndpointSchema,
  createWebhookEndpointRequestSchema,
  updateWebhookEndpointRequestSchema,
  webhookEndpointSchema,
  type CreateWebhookEndpointRequest,
  type PageQuery,
  type UpdateWebhookEndpointRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { pagedList } from '../paged-list';
import { createEndpoint, endpointNotFound, getEndpoint, updateEndpoint } from './webhook-endpoints';
import { linkToNext, noQuery, pageQuery, projectPath, webhookPath } from '../paths';
import { projectRoute } from '../projects/project-route';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
}

interface EndpointParts {
  readonly params: { projectIdOrName: string; endpointId: string };
}

const tags = ['Webhooks'] as const;

/** `GET` and `POST P/webhook-endpoints`; `GET`, `PATCH` and `DELETE P/webhook-endpoints/{endpointId}`. */
export function webhookEndpointRoutes(router: Router, context: ManagementContext): void {
  collectionRoutes(router, context);
  itemRoutes(router, context);
}

function collectionRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/webhook-endpoints`,
    projectRoute<ProjectParts & { readonly query: PageQuery }>(context, {
      operationId: 'listWebhookEndpoints',
      summary: 'List webhook endpoints',
      tags,
      replies: { 200: jsonList(webhookEndpointSchema, linkToNext) },
      scopes: ['read'],
      query: pageQuery,
      handle: async (request, project) => {
        return await pagedList(request, (page) => context.store.webhookEndpoints.list(project.id, page));
      },
    }),
  );
  router.post(
    `${projectPath}/webhook-endpoints`,
    projectRoute<ProjectParts & { readonly body: CreateWebhookEndpointRequest }>(context, {
      operationId: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description: 'The reply holds the secret that its messages are signed with.',
      tags,
      replies: { 201: json(createdWebhookEndpointSchema) },
      problems: ['webhook-endpoint.too-many'],
      scopes: ['full'],
      body: createWebhookEndpointRequestSchema,
      handle: async ({ body }, project) => {
        return { status: 201, body: await createEndpoint(context, project.id, body) };
      },
    }),
  );
}

function itemRoutes(router: Router, context: ManagementContext): void {
  router.get(
    webhookPath,
    route<EndpointParts>({
      operationId: 'getWebhookEndpoint',
      summary: 'Get a webhook endpoint',
      tags,
      replies: { 200: json(webhookEndpointSchema) },
      scopes: ['read'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await getEndpoint(context, { projectId, endpointId }) };
      },
    }),
  );
  router.patch(
    webhookPath,
    route<EndpointParts & { readonly body: UpdateWebhookEndpointRequest }>({
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description:
        'Disabling gives up what is on its way; enabling forgets past failures. What happens while it is disabled is not kept for it.',
      tags,
      replies: { 200: json(webhookEndpointSchema) },
      scopes: ['full'],
      query: noQuery,
      body: updateWebhookEndpointRequestSchema,
      handle: async ({ caller, params: { projectIdOrName, endpointId }, body }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        return { body: await updateEndpoint(context, { projectId, endpointId }, body) };
      },
    }),
  );
  router.delete(
    webhookPath,
    route<EndpointParts>({
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      tags,
      replies: { 204: noBody('It is forgotten, with its messages.') },
      scopes: ['full'],
      query: noQuery,
      handle: async ({ caller, params: { projectIdOrName, endpointId } }) => {
        const { id: projectId } = await getProject(context, caller, projectIdOrName);
        if (!(await context.store.webhookEndpoints.remove({ projectId, endpointId }))) throw endpointNotFound();
        context.logger.info({ projectId, endpointId }, 'webhook-endpoint.deleted');
        return { status: 204 };
      },
    }),
  );
}
