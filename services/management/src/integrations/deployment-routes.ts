import { jsonList, noBody, route, type Router } from '@sluice/http';
import {
  deployManifestRequestSchema,
  integrationSchema,
  publishIntegration,
  type DeployManifestRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { createRevision } from './create-revision';
import { deployManifest } from './deploy-manifest';
import { deployedWarning } from './manifest-warnings';
import { getIntegration } from './get-integration';
import { getProject } from '../projects/get-project';
import { deployedHeaders, deployQuery, integrationPath, projectPath } from '../paths';

interface DeployParts {
  readonly params: { projectIdOrName: string };
  readonly query: { destructive?: boolean };
  readonly body: DeployManifestRequest;
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
  readonly query: { destructive?: boolean };
  readonly body: DeployManifestRequest;
}

/** `PUT P/integrations:batch` and `POST I/revisions`. */
export function deploymentRoutes(router: Router, context: ManagementContext): void {
  router.put(
    `${projectPath}/integrations\\:batch`,
    route<DeployParts>({
      operationId: 'deployManifest',
      summary: 'Deploy a manifest',
      description:
        'Creates an integration per entry, or gives it a new revision. With destructive=true installations stop reading the objects that the manifest removes from their integration. Nothing is deleted.',
      tags: ['Integrations'],
      example: {
        sourceYaml:
          'specVersion: 1.0.0\nintegrations:\n  - name: crm\n    provider: hubspot\n    write: { objects: [{ objectName: contacts }] }\n',
      },
      replies: { 200: jsonList(integrationSchema, deployedHeaders) },
      problems: ['integration.name-taken', 'provider.unknown'],
      scopes: ['frontend'],
      query: deployQuery,
      body: deployManifestRequestSchema,
      handle: async ({ caller, params, query, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const pausesReads = query.destructive === true;
        const deployment = { projectId: project.id, request: body, caller, pausesReads };
        const deployed = await deployManifest(context, deployment);
        return { body: deployed.map(publishIntegration), headers: deployedWarning(context, deployed) };
      },
    }),
  );
  router.post(
    `${integrationPath}/revisions`,
    route<IntegrationParts>({
      operationId: 'createRevision',
      summary: 'Give an integration a new revision',
      description:
        'Takes what the manifest has under the name of the integration; an equal content makes no revision. With destructive=true installations stop reading the objects that the manifest removes.',
      tags: ['Integrations'],
      replies: { 201: noBody('The revision is in force.', deployedHeaders) },
      problems: ['integration.name-taken', 'provider.unknown'],
      scopes: ['frontend'],
      query: deployQuery,
      body: deployManifestRequestSchema,
      handle: async ({ caller, params, query, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        const pausesReads = query.destructive === true;
        const revised = await createRevision(context, { integration, request: body, caller, pausesReads });
        return { status: 201, headers: deployedWarning(context, [revised]) };
      },
    }),
  );
}
