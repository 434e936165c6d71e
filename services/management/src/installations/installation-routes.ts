import { providerProblemCodes } from '@sluice/errors';
import { filterText, json, noBody, offByDefault, queryOf, type Reply, type Router } from '@sluice/http';
import {
  createInstallationRequestSchema,
  installationHealthListReplySchema,
  installationSchema,
  limits,
  pageProperties,
  reachOf,
  updateInstallationRequestSchema,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { routesOfIntegration } from '../integrations/get-integration';
import { byId, readPage, wholeList, wholeListOf, type ListRequest } from '../pages';
import { routesOfProject } from '../projects/get-project';
import { assertGroup, notFound } from '../refusals';
import { changeProperties, createInstallation, samplingQuery, updateInstallation } from './change-installation';
import {
  changedInstallation,
  changedReply,
  presentInstallation,
  routesOfInstallation,
  routesOfInstallationKey,
} from './get-installation';

const healthQuery = queryOf({
  installationId: { ...filterText, description: 'Only this one.' },
  groupRefPrefix: {
    ...filterText,
    maxLength: limits.nameCharactersMax,
    description: 'Only of groups that begin so.',
  },
  badCredentials: { ...offByDefault, description: 'Only those whose connection the provider refuses.' },
  ...pageProperties,
});

type InstallationList = ListRequest & { readonly query: { readonly groupRef?: string } };

export function installationRoutes(router: Router, context: ManagementContext): void {
  const { installations } = context.store;
  const ofIntegration = routesOfIntegration(router, context, 'Installations');
  const shared = {
    ...wholeListOf(installationSchema, { groupRef: filterText }),
    scopes: ['frontend', 'read', 'token'],
  } as const;
  const list = (request: InstallationList, projectId: string, integrationId?: string): Promise<Reply> => {
    const filter = { ...request.query, ...reachOf(request.caller), integrationId };
    return wholeList(request, (page) => installations.listPage(projectId, filter, page), presentInstallation);
  };
  routesOfProject(router, context, 'Installations').get('/installations', 'listInstallationsForProject', {
    ...shared,
    summary: 'List the installations of a project',
    handle: (request, { id }) => list(request, id),
  });
  routesOfProject(router, context, 'Installations').get('/installation-health', 'listInstallationHealth', {
    summary: 'See how the installations of a project are doing',
    description:
      'Oldest first, without configs: the connection of each, what waits and the last failure. Always in pages. Failures are those of its latest 20 operations, and of up to 20 waiting calls of its connection.',
    replies: { 200: json(installationHealthListReplySchema) },
    // Not for bearer tokens: it is a view of all groups.
    scopes: ['frontend', 'read'],
    query: healthQuery,
    replyBytesMax: limits.pageBytesMax,
    answer: ({ query: { pageSize, pageToken, ...filter } }, { id }) =>
      readPage({ pageSize, pageToken }, byId, (afterId, limit) =>
        installations.listHealth(id, filter, { afterId, limit }),
      ),
  });
  ofIntegration.get('/installations', 'listInstallations', {
    ...shared,
    summary: 'List the installations of an integration',
    handle: (request, { projectId, id }) => list(request, projectId, id),
  });
  ofIntegration.post('/installations', 'createInstallation', {
    summary: 'Install an integration',
    replies: { 201: changedInstallation },
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
    handle: async (request, integration) => {
      const { caller, body } = request;
      assertGroup(caller, body.groupRef);
      const { installation, warnings } = await createInstallation(context, integration, request);
      return { status: 201, ...changedReply(caller, integration, installation, warnings) };
    },
  });
  routesOfInstallation(router, context, 'Installations').get('', 'getInstallation', {
    summary: 'Get an installation',
    replies: { 200: json(installationSchema) },
    scopes: ['frontend', 'read', 'token'],
    answer: ({ caller }, installation) => presentInstallation(caller, installation),
  });
}

export function installationChangeRoutes(router: Router, context: ManagementContext): void {
  const ofInstallation = routesOfInstallationKey(router, context);
  ofInstallation.patch('', 'updateInstallation', {
    summary: 'Change an installation',
    description:
      'Only what updateMask names is changed; with ifConfigId, only while that config is in force: of two people who change one config at once the second is refused.',
    replies: { 200: changedInstallation },
    problems: ['installation.config-invalid', 'config.superseded', 'connection.not-found', ...providerProblemCodes],
    scopes: ['frontend', 'token'],
    query: queryOf({ skipSampling: offByDefault, ...changeProperties }),
    body: updateInstallationRequestSchema,
    handle: async (request, { integration, key }) => {
      const { installation, warnings } = await updateInstallation(context, integration, key, request);
      return changedReply(request.caller, integration, installation, warnings);
    },
  });
  ofInstallation.delete('', 'deleteInstallation', {
    summary: 'Delete an installation',
    replies: { 204: noBody('The installation is deleted, and its connection if no other installation uses it.') },
    scopes: ['frontend', 'token'],
    // What waits fails with "The installation was deleted."; what is being sent at this moment finishes and is not tried again. What happened
    // stays readable.
    answer: async (_request, { key }) => {
      if (!(await context.store.installations.remove(key))) throw notFound('installation.not-found');
      const { projectId, installationId } = key;
      context.logger.info({ projectId, installationId }, 'installation.deleted');
    },
  });
}
