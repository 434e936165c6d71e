import { json, jsonList, noBody, offByDefault, queryOf, type Router } from '@sluice/http';
import {
  authorOf,
  checkCreateIntegrationRequest,
  createIntegrationRequestSchema,
  deployManifestRequestSchema,
  integrationSchema,
  limits,
  manifestPreviewSchema,
  publishIntegration,
} from '@sluice/types';
import type { Caller, Integration, Page } from '@sluice/types';
import { getConnector } from '../connections/get-connection';
import type { ManagementContext } from '../context';
import { listBytesMax, wholeList, wholeListOf } from '../pages';
import { routesOfProject } from '../projects/get-project';
import { notFound, refuseIssues } from '../refusals';
import { createRevision, deployManifest, previewManifest } from './deploy-manifest';
import { deployedWarning, routesOfIntegration } from './get-integration';

const deployedHeaders = {
  'Sluice-Warning': {
    description:
      'Parts of the manifest without effect: a module that is not served, objects that the provider lacks, members that are only stored.',
  },
};

export function integrationRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'Integrations', ['frontend']);
  const ofIntegration = routesOfIntegration(router, context, 'Integrations', ['frontend']);
  ofProject.get('/integrations', 'listIntegrations', {
    summary: 'List integrations',
    ...wholeListOf(integrationSchema, {}),
    scopes: ['frontend', 'read', 'token'],
    handle: (request, { id }) => {
      const read = (page: Page) => context.store.integrations.listPage(id, page);
      return wholeList(request, read, presentIntegration);
    },
  });
  ofProject.post('/integrations', 'createIntegration', {
    summary: 'Create an integration',
    replies: {
      201: noBody('The integration is made.', {
        Location: { description: 'Its address.', required: true },
        ...deployedHeaders,
      }),
    },
    problems: ['integration.name-taken', 'provider.unknown'],
    body: createIntegrationRequestSchema,
    handle: async ({ body, caller }, { id: projectId }) => {
      refuseIssues(checkCreateIntegrationRequest(body));
      const { name, provider, latestRevision } = body;
      getConnector(context, provider, 'provider');
      const createdBy = authorOf(caller);
      const made = await context.store.integrations.create({ projectId, name, provider, ...latestRevision, createdBy });
      context.logger.info({ projectId, integrationId: made.id }, 'integration.created');
      // The published API answers without a body; the header says what was made.
      const Location = `/v1/projects/${projectId}/integrations/${made.id}`;
      return { status: 201, headers: { Location, ...deployedWarning(context, [contentOf(made)]) } };
    },
  });
  ofIntegration.get('', 'getIntegration', {
    summary: 'Get an integration',
    replies: { 200: json(integrationSchema) },
    scopes: ['frontend', 'read', 'token'],
    answer: ({ caller }, integration) => presentIntegration(caller, integration),
  });
  ofIntegration.delete('', 'deleteIntegration', {
    summary: 'Delete an integration',
    description: 'Its installations are deleted with it.',
    replies: { 204: noBody('The integration is deleted, with its installations.') },
    answer: (_request, integration) => deleteIntegration(context, integration),
  });
}

const contentOf = ({ latestRevision: { content } }: Integration) => content;

/** A bearer token is of a customer's browser, which is not shown who builds. */
function presentIntegration({ kind }: Caller, integration: Integration): Integration {
  const published = publishIntegration(integration);
  if (kind !== 'token') return published;
  const { createdBy: _by, createdByLabel: _label, ...latestRevision } = published.latestRevision;
  return { ...published, latestRevision };
}

export function deploymentRoutes(router: Router, context: ManagementContext): void {
  // A request of a hundred bytes may name a zip whose manifest has a megabyte.
  const replyBytesMax = listBytesMax;
  /** `destructive=true`: reads of the objects that a manifest removes are paused. Source: published API and command line. */
  const query = queryOf({ destructive: offByDefault });
  routesOfProject(router, context, 'Integrations', ['frontend']).put('/integrations\\:batch', 'deployManifest', {
    summary: 'Deploy a manifest',
    description:
      'Creates an integration per entry, or gives it a new revision. With destructive=true installations stop reading the objects that the manifest removes from their integration. Nothing is deleted.',
    replies: { 200: jsonList(integrationSchema, deployedHeaders) },
    problems: ['integration.name-taken', 'provider.unknown'],
    replyBytesMax,
    query,
    body: deployManifestRequestSchema,
    handle: async (request, { id }) => {
      const deployed = await deployManifest(context, id, request);
      return {
        body: deployed.map((each) => presentIntegration(request.caller, each)),
        headers: deployedWarning(context, deployed.map(contentOf)),
      };
    },
  });
  routesOfProject(router, context, 'Integrations', ['frontend', 'read']).post(
    '/integrations\\:preview',
    'previewManifest',
    {
      summary: 'See what a manifest would change',
      description: 'The changes that a deployment would make now, or its refusal. Nothing is changed.',
      replies: { 200: json(manifestPreviewSchema, deployedHeaders) },
      problems: ['integration.name-taken', 'provider.unknown'],
      // The contents that are in force come beside the manifest.
      replyBytesMax: 2 * replyBytesMax,
      body: deployManifestRequestSchema,
      handle: ({ body }, { id }) => previewManifest(context, id, body),
    },
  );
  routesOfIntegration(router, context, 'Integrations', ['frontend']).post('/revisions', 'createRevision', {
    summary: 'Give an integration a new revision',
    description:
      "Uses the manifest's entry of the integration's name. An equal content makes no revision. With destructive=true installations stop reading the objects that the manifest removes.",
    replies: { 201: noBody('The revision is in force.', deployedHeaders) },
    problems: ['integration.name-taken', 'provider.unknown'],
    replyBytesMax,
    query,
    body: deployManifestRequestSchema,
    handle: async (request, integration) => {
      const revised = await createRevision(context, integration, request);
      return { status: 201, headers: deployedWarning(context, [contentOf(revised)]) };
    },
  });
}

/**
 * Deletes an integration after its installations, each as DELETE of an installation does: what waits fails, what is being sent
 * finishes and is not tried again. An installation that is made meanwhile is found by the next pass of the loop. If this process dies, what is
 * left is an integration with fewer installations, and the same request goes on.
 * @throws NotFoundError `integration.not-found` when another caller has deleted it
 */
async function deleteIntegration({ logger, store }: ManagementContext, integration: Integration): Promise<void> {
  const { projectId, id: integrationId } = integration;
  const { installations, integrations } = store;
  for (;;) {
    const { items } = await installations.listPage(projectId, { integrationId }, { size: limits.pageSizeDefault });
    for (const { id: installationId } of items) {
      if (!(await installations.remove({ projectId, integrationId, installationId }))) continue;
      logger.info({ projectId, installationId }, 'installation.deleted');
    }
    const outcome = await integrations.remove(projectId, integrationId);
    if (outcome === 'absent') throw notFound('integration.not-found');
    if (outcome === 'deleted') break;
  }
  logger.info({ projectId, integrationId }, 'integration.deleted');
}
