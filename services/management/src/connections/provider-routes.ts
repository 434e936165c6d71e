import { providerInfo, type Connector } from '@sluice/connectors';
import { json, noBody, routesUnder, type Router } from '@sluice/http';
import type { ProviderAppChange } from '@sluice/store';
import {
  createProviderAppRequestSchema,
  providerAppSchema,
  providerCatalogueSchema,
  providerInfoSchema,
  updateProviderAppRequestSchema,
  type ProviderInfo,
  type UpdateProviderAppRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { wholeList, wholeListOf } from '../pages';
import { routesOfProject } from '../projects/get-project';
import { found, notFound, refuseAbsent } from '../refusals';
import { callbackUrl } from './begin-authorization';
import { getConnector, getProvider, presentProviderApp } from './get-connection';

/** `GET /v1/providers` and `GET /v1/providers/{provider}`, open to every caller. */
export function providerRoutes(router: Router, context: ManagementContext): void {
  const routes = routesUnder(router, '/v1/providers', { tags: ['Providers'], find: () => undefined });
  routes.get('', 'listProviders', {
    summary: 'List providers',
    description: 'A map from name to provider.',
    replies: { 200: json(providerCatalogueSchema) },
    answer: () => Object.fromEntries(context.connectors.all().map((one) => [one.provider, withRedirect(context, one)])),
  });
  routes.get('/:provider', 'getProvider', {
    summary: 'Get a provider',
    replies: { 200: json(providerInfoSchema) },
    problems: ['provider.not-in-catalogue'],
    answer: ({ params }) => withRedirect(context, getProvider(context, params.provider)),
  });
}

/** As the catalogue shows it; where customers allow apps in, also with the address that they come back to. */
function withRedirect({ config }: ManagementContext, connector: Connector): ProviderInfo {
  const { oauth2Opts, ...info } = providerInfo(connector);
  if (oauth2Opts === undefined || connector.authorizationUrl === undefined) return { ...info, oauth2Opts };
  return { ...info, oauth2Opts: { ...oauth2Opts, redirectURL: callbackUrl(config) } };
}

/** `GET` and `POST P/provider-apps`; `GET`, `PATCH` and `DELETE P/provider-apps/{providerAppId}`. The secret is never shown. */
export function providerAppRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  const ofProject = routesOfProject(router, context, 'Provider apps');
  ofProject.get('/provider-apps', 'listProviderApps', {
    summary: 'List provider apps',
    description: 'A browser gets only the provider, the client id and `packageInstallURL` of each.',
    ...wholeListOf(providerAppSchema, {}),
    scopes: ['read', 'frontend', 'token'],
    handle: (request, { id }) =>
      wholeList(request, (page) => store.providerApps.listPage(id, page), presentProviderApp),
  });
  ofProject.post('/provider-apps', 'createProviderApp', {
    summary: 'Create a provider app',
    replies: { 200: json(providerAppSchema) },
    problems: ['provider.unknown'],
    scopes: ['full'],
    body: createProviderAppRequestSchema,
    // 200, not 201: so the published API answers. The secret is sealed and never shown again.
    answer: async ({ body: { clientSecret, ...request } }, { id: projectId }) => {
      getConnector(context, request.provider, 'provider');
      const seal = (id: string) => context.installations.seal({ noun: 'provider app', id }, clientSecret);
      const app = await store.providerApps.create({ ...request, projectId, seal });
      logger.info({ projectId, providerAppId: app.id, provider: app.provider }, 'provider-app.created');
      return app;
    },
  });
  const ofApp = ofProject.under('/provider-apps/:providerAppId', {
    scopes: ['full'],
    find: ({ params }, { id }) => [id, params.providerAppId] as const,
  });
  ofApp.get('', 'getProviderApp', {
    summary: 'Get a provider app',
    replies: { 200: json(providerAppSchema) },
    scopes: ['read'],
    answer: async (_request, key) => found(await store.providerApps.find(...key), 'provider-app.not-found'),
  });
  ofApp.patch('', 'updateProviderApp', {
    summary: 'Change a provider app',
    replies: { 200: json(providerAppSchema) },
    problems: ['provider.unknown'],
    body: updateProviderAppRequestSchema,
    answer: async ({ body }, [projectId, providerAppId]) => {
      const change = changeOf(context, providerAppId, body);
      const app = found(await store.providerApps.update(projectId, providerAppId, change), 'provider-app.not-found');
      const fields = new Set(body.updateMask).size;
      logger.info({ projectId, providerAppId, fields }, 'provider-app.updated');
      return app;
    },
  });
  ofApp.delete('', 'deleteProviderApp', {
    summary: 'Delete a provider app',
    replies: { 204: noBody('The provider app is deleted.') },
    answer: async (_request, [projectId, providerAppId]) => {
      if (!(await store.providerApps.remove(projectId, providerAppId))) throw notFound('provider-app.not-found');
      logger.info({ projectId, providerAppId }, 'provider-app.deleted');
    },
  });
}

/** What an app cannot be without. The others are cleared by a mask that names them without a value. */
const required = ['provider', 'clientId', 'clientSecret'] as const;

/**
 * What the mask names; other values are ignored. In force for the next refresh of a token.
 * @throws ValidationError 400 for a field that the app cannot be without, `provider.unknown`
 */
function changeOf(
  context: ManagementContext,
  appId: string,
  { updateMask, providerApp }: UpdateProviderAppRequest,
): ProviderAppChange {
  const needed = required.filter((field) => updateMask.includes(field));
  refuseAbsent(needed, providerApp, 'providerApp');
  const cleared = { externalRef: null, scopes: null, metadata: null };
  const values = Object.entries({ ...cleared, ...providerApp }).filter(([field]) =>
    updateMask.includes(field as never),
  );
  const { clientSecret, ...change }: ProviderAppChange & { clientSecret?: string } = Object.fromEntries(values);
  if (change.provider !== undefined) getConnector(context, change.provider, 'providerApp.provider');
  const owner = { noun: 'provider app', id: appId } as const;
  const sealed = clientSecret === undefined ? undefined : context.installations.seal(owner, clientSecret);
  return { ...change, sealed };
}
