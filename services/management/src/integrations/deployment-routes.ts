import { jsonList, noBody, type Router, invalid } from '@sluice/http';
import {
  deployManifestRequestSchema,
  integrationSchema,
  publishIntegration,
  type DeployManifestRequest,
  type Caller,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { deployedHeaders, deployQuery, integrationPath, projectPath } from '../paths';
import { deployManifest, readManifest } from './deploy-manifest';
import { deployedWarning } from './manifest-warnings';
import { pauseRemovedReads } from './pause-removed-reads';
import { projectRoute } from '../projects/project-route';
import { integrationRoute } from './integration-route';

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
    projectRoute<DeployParts>(context, {
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
      handle: async ({ caller, query, body }, project) => {
        const pausesReads = query.destructive === true;
        const deployment = { projectId: project.id, request: body, caller, pausesReads };
        const deployed = await deployManifest(context, deployment);
        return { body: deployed.map(publishIntegration), headers: deployedWarning(context, deployed) };
      },
    }),
  );
  router.post(
    `${integrationPath}/revisions`,
    integrationRoute<IntegrationParts>(context, {
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
      handle: async ({ caller, query, body }, integration) => {
        const pausesReads = query.destructive === true;
        const revised = await createRevision(context, { integration, request: body, caller, pausesReads });
        return { status: 201, headers: deployedWarning(context, [revised]) };
      },
    }),
  );
}

/** A request for a revision with what came beside the body. */
interface NewRevision {
  readonly integration: Integration;
  readonly request: DeployManifestRequest;
  readonly caller: Caller;
  /** Installations stop reading the objects that the manifest takes from the integration. */
  readonly pausesReads: boolean;
}

/**
 * Gives one integration the content that a manifest has under its name; an equal content makes no revision. What else
 * the manifest holds is left alone.
 * @returns the integration with its latest revision
 * @throws ValidationError 400 for a manifest that breaks a rule, or has no integration of this name
 * @throws ConflictError `integration.name-taken` when the manifest names another provider
 */
async function createRevision(
  context: ManagementContext,
  { integration: standing, request, caller, pausesReads }: NewRevision,
): Promise<Integration> {
  const { projectId, id: integrationId, name, latestRevision } = standing;
  const { manifest } = await readManifest(context, projectId, request);
  const content = manifest.integrations.find((integration) => integration.name === name);
  if (content === undefined) {
    const names = manifest.integrations.map((integration) => integration.name).join(', ') || 'none';
    const detail = `has no integration called ${name}; it has: ${names}`;
    const source = request.sourceYaml === undefined ? 'sourceZipUrl' : 'sourceYaml';
    throw invalid([{ in: 'body', name: source, detail }]);
  }
  const { specVersion } = manifest;
  const entry = { projectId, name, provider: content.provider, specVersion, content };
  if (pausesReads && content.provider === standing.provider) {
    const removal = { before: latestRevision.content, after: content };
    await pauseRemovedReads(context, { projectId, integrationId, ...removal, caller });
  }
  const [revised] = await context.store.integrations.putAll(projectId, [entry]);
  const integration = revised as Integration;
  const revisionId = integration.latestRevision.id;
  context.logger.info({ projectId, integrationId: integration.id, revisionId }, 'revision.created');
  return integration;
}
