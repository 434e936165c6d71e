import { route, type Router } from '@sluice/http';
import {
  createIntegrationRequestSchema,
  deployManifestRequestSchema,
  publishManifestIntegration,
  type CreateIntegrationRequest,
  type DeployManifestRequest,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { createIntegration } from '../create-integration';
import { deployManifest } from '../deploy-manifest';
import { getIntegration } from '../get-integration';
import { getProject } from '../get-project';
import { integrationPath, noQuery, projectPath } from './paths';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
}

/** `destructive=true`, which deletes what a manifest leaves out, is refused: nothing is deleted yet. */
const deployQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { destructive: { type: 'boolean', enum: [false], default: false } },
} as const;

/** `GET` and `POST P/integrations`, `PUT P/integrations:batch`, `GET P/integrations/{integrationIdOrName}`. */
export function integrationRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/integrations`,
    route<ProjectParts>({
      scopes: ['frontend', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: (await context.store.integrations.list(project.id)).map(toReply) };
      },
    }),
  );
  router.post(
    `${projectPath}/integrations`,
    route<ProjectParts & { readonly body: CreateIntegrationRequest }>({
      scopes: ['frontend'],
      query: noQuery,
      body: createIntegrationRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const { id } = await createIntegration(context, project.id, body);
        // The published API answers without a body; the header says what was made.
        return { status: 201, headers: { Location: `/v1/projects/${project.id}/integrations/${id}` } };
      },
    }),
  );
  router.put(
    `${projectPath}/integrations\\:batch`,
    route<ProjectParts & { readonly body: DeployManifestRequest }>({
      scopes: ['frontend'],
      query: deployQuery,
      body: deployManifestRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: (await deployManifest(context, project.id, body)).map(toReply) };
      },
    }),
  );
  router.get(
    integrationPath,
    route<IntegrationParts>({
      scopes: ['frontend', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: toReply(await getIntegration(context, project.id, params.integrationId)) };
      },
    }),
  );
}

function toReply(integration: Integration): Integration {
  const { latestRevision } = integration;
  const content = publishManifestIntegration(latestRevision.content);
  return { ...integration, latestRevision: { ...latestRevision, content } };
}
