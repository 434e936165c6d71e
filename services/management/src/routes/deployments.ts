import { jsonList, noBody, route, type Router } from '@sluice/http';
import {
  deployManifestRequestSchema,
  integrationSchema,
  publishIntegration,
  type DeployManifestRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { createRevision } from '../create-revision';
import { deployManifest } from '../deploy-manifest';
import { getIntegration } from '../get-integration';
import { getProject } from '../get-project';
import { deployQuery, integrationPath, projectPath } from './paths';

interface DeployParts {
  readonly params: { projectIdOrName: string };
  readonly query: { destructive?: boolean };
  readonly body: DeployManifestRequest;
}

interface IntegrationParts {
  readonly params: { projectIdOrName: string; integrationId: string };
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
        'Creates an integration per entry, or gives it a new revision. With destructive=true integrations that the manifest leaves out are deleted, with their installations.',
      tags: ['Integrations'],
      example: {
        sourceYaml:
          'specVersion: 1.0.0\\nintegrations:\\n  - name: crm\\n    provider: hubspot\\n    write: { objects: [{ objectName: contacts }] }\\n',
      },
      replies: { 200: jsonList(integrationSchema) },
      problems: ['integration.name-taken', 'provider.unknown'],
      scopes: ['frontend'],
      query: deployQuery,
      body: deployManifestRequestSchema,
      handle: async ({ caller, params, query, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const isDestructive = query.destructive === true;
        const deployed = await deployManifest(context, { projectId: project.id, request: body, isDestructive });
        return { body: deployed.map(publishIntegration) };
      },
    }),
  );
  router.post(
    `${integrationPath}/revisions`,
    route<IntegrationParts>({
      operationId: 'createRevision',
      summary: 'Give an integration a new revision',
      description:
        'Takes what the manifest has under the name of the integration; an equal content makes no revision. Nothing is deleted, whatever destructive says.',
      tags: ['Integrations'],
      replies: { 201: noBody('The revision is in force.') },
      problems: ['integration.name-taken', 'provider.unknown'],
      scopes: ['frontend'],
      query: deployQuery,
      body: deployManifestRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        await createRevision(context, integration, body);
        return { status: 201 };
      },
    }),
  );
}
