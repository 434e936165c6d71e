import { route, type Router } from '@sluice/http';
import { createInstallationRequestSchema, type CreateInstallationRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { createInstallation } from '../create-installation';
import { getInstallation } from '../get-installation';
import { getIntegration } from '../get-integration';
import { getProject } from '../get-project';
import { undeclaredWarning } from '../undeclared-objects';
import { integrationPath, noQuery, projectPath, samplingQuery } from './paths';

interface ProjectParts {
  readonly params: { projectIdOrName: string };
  readonly query: { groupRef?: string };
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
  readonly query: { groupRef?: string };
}

interface InstallationParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
}

const groupQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { groupRef: { type: 'string', minLength: 1 } },
} as const;

/** `GET P/installations`, `GET` and `POST I/installations`, `GET I/installations/{installationId}`. */
export function installationRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/installations`,
    route<ProjectParts>({
      scopes: ['frontend', 'read'],
      query: groupQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await context.store.installations.list(project.id, query) };
      },
    }),
  );
  router.get(
    `${integrationPath}/installations`,
    route<IntegrationParts>({
      scopes: ['frontend', 'read'],
      query: groupQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        const filter = { ...query, integrationId: integration.id };
        return { body: await context.store.installations.list(project.id, filter) };
      },
    }),
  );
  router.post(
    `${integrationPath}/installations`,
    route<IntegrationParts & { readonly body: CreateInstallationRequest }>({
      scopes: ['frontend'],
      query: samplingQuery,
      body: createInstallationRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        const created = await createInstallation(context, { integration, caller, request: body });
        return { status: 201, body: created, headers: undeclaredWarning(integration, created) };
      },
    }),
  );
  router.get(
    `${integrationPath}/installations/:installationId`,
    route<InstallationParts>({
      scopes: ['frontend', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        return { body: await getInstallation(context, integration, params.installationId) };
      },
    }),
  );
}
