import { type Router, json, jsonList, noBody } from '@sluice/http';
import {
  createProviderAppRequestSchema,
  updateProviderAppRequestSchema,
  type CreateProviderAppRequest,
  type UpdateProviderAppRequest,
  providerAppSchema,
  type Page,
  type PageQuery,
  type ProviderApp,
} from '@sluice/types';
import { NotFoundError, type Issue } from '@sluice/errors';
import type { ProviderAppChange } from '@sluice/store';
import type { ManagementContext } from '../context';
import { wholeList } from '../paged-list';
import { linkToNext, listBytesMax, pageQuery, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';
import { refuseIssues } from '../refuse-issues';
import { presentProviderApp } from './present-provider-app';
import { getConnector } from './get-connector';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: PageQuery;
}

interface CreateParts {
  readonly params: { projectIdOrName: string };
  readonly body: CreateProviderAppRequest;
}

interface AppParts {
  readonly params: { projectIdOrName: string; providerAppId: string };
}

type UpdateParts = AppParts & { readonly body: UpdateProviderAppRequest };

const appPath = `${projectPath}/provider-apps/:providerAppId`;

/** `GET` and `POST P/provider-apps`; `GET`, `PATCH` and `DELETE P/provider-apps/{providerAppId}`. The secret is never shown. */
export function providerAppRoutes(router: Router, context: ManagementContext): void {
  collectionRoutes(router, context);
  itemRoutes(router, context);
}

function collectionRoutes(router: Router, context: ManagementContext): void {
  const { providerApps } = context.store;
  router.get(
    `${projectPath}/provider-apps`,
    projectRoute<ListParts>(context, {
      operationId: 'listProviderApps',
      summary: 'List provider apps',
      description: 'A browser is told of each where it belongs, its client id and `packageInstallURL`, and no more.',
      tags: ['Provider apps'],
      replies: { 200: jsonList(providerAppSchema, linkToNext) },
      scopes: ['read', 'frontend', 'token'],
      query: pageQuery,
      replyBytesMax: listBytesMax,
      handle: async (request, project) => {
        const { caller } = request;
        const read = (page: Page) => providerApps.listPage(project.id, page);
        return await wholeList(request, read, (app) => presentProviderApp(caller, app));
      },
    }),
  );
  router.post(
    `${projectPath}/provider-apps`,
    projectRoute<CreateParts>(context, {
      operationId: 'createProviderApp',
      summary: 'Create a provider app',
      tags: ['Provider apps'],
      replies: { 200: json(providerAppSchema) },
      problems: ['provider.unknown'],
      scopes: ['full'],
      body: createProviderAppRequestSchema,
      handle: async ({ body }, project) => {
        // 200, not 201: so the published API answers.
        return { body: await createProviderApp(context, project.id, body) };
      },
    }),
  );
}

function itemRoutes(router: Router, context: ManagementContext): void {
  const { providerApps } = context.store;
  router.get(
    appPath,
    projectRoute<AppParts>(context, {
      operationId: 'getProviderApp',
      summary: 'Get a provider app',
      tags: ['Provider apps'],
      replies: { 200: json(providerAppSchema) },
      scopes: ['read'],
      handle: async ({ params }, project) => {
        const app = await providerApps.find(project.id, params.providerAppId);
        if (app === undefined) throw providerAppNotFound();
        return { body: app };
      },
    }),
  );
  router.patch(
    appPath,
    projectRoute<UpdateParts>(context, {
      operationId: 'updateProviderApp',
      summary: 'Change a provider app',
      tags: ['Provider apps'],
      replies: { 200: json(providerAppSchema) },
      problems: ['provider.unknown'],
      scopes: ['full'],
      body: updateProviderAppRequestSchema,
      handle: async ({ params, body }, project) => {
        const update = { projectId: project.id, appId: params.providerAppId, request: body };
        return { body: await updateProviderApp(context, update) };
      },
    }),
  );
  router.delete(
    appPath,
    projectRoute<AppParts>(context, {
      operationId: 'deleteProviderApp',
      summary: 'Delete a provider app',
      tags: ['Provider apps'],
      replies: { 204: noBody('It is forgotten.') },
      scopes: ['full'],
      handle: async ({ params }, project) => {
        if (!(await providerApps.remove(project.id, params.providerAppId))) throw providerAppNotFound();
        context.logger.info({ projectId: project.id, providerAppId: params.providerAppId }, 'provider-app.deleted');
        return { status: 204 };
      },
    }),
  );
}

/**
 * Registers the builder's OAuth app at a provider. Its secret is sealed and never shown again.
 * @throws ValidationError `provider.unknown`
 */
async function createProviderApp(
  context: ManagementContext,
  projectId: string,
  { clientSecret, ...request }: CreateProviderAppRequest,
): Promise<ProviderApp> {
  getConnector(context, request.provider, 'provider');
  const seal = (appId: string) => context.installations.sealClientSecret(appId, clientSecret);
  const app = await context.store.providerApps.create({ ...request, projectId, seal });
  context.logger.info({ projectId, providerAppId: app.id, provider: app.provider }, 'provider-app.created');
  return app;
}

/** What an app cannot be without. The others are cleared by a mask that names them without a value. */
const required = ['provider', 'clientId', 'clientSecret'] as const;

/** An update with the names of its path. */
interface ProviderAppUpdate {
  readonly projectId: string;
  readonly appId: string;
  readonly request: UpdateProviderAppRequest;
}

/**
 * Changes what the mask names; other values are ignored. In force for the next refresh of a token.
 * @throws NotFoundError `provider-app.not-found`
 */
async function updateProviderApp(context: ManagementContext, update: ProviderAppUpdate): Promise<ProviderApp> {
  const { projectId, appId, request } = update;
  refuseIssues(checkMask(request));
  const changed = new Set(request.updateMask);
  const { provider } = request.providerApp;
  if (changed.has('provider') && provider !== undefined) getConnector(context, provider, 'providerApp.provider');
  const app = await context.store.providerApps.update(projectId, appId, toChange(context, update));
  if (app === undefined) throw providerAppNotFound();
  context.logger.info({ projectId, providerAppId: appId, fields: changed.size }, 'provider-app.updated');
  return app;
}

/** The same for another project's app. */
function providerAppNotFound(): NotFoundError {
  const detail = 'providerAppId: there is no such provider app in this project.';
  return new NotFoundError({ code: 'provider-app.not-found', detail });
}

function checkMask({ updateMask, providerApp }: UpdateProviderAppRequest): Issue[] {
  return required
    .filter((field) => updateMask.includes(field) && providerApp[field] === undefined)
    .map((field) => ({ in: 'body', name: `providerApp.${field}`, detail: 'is required, because updateMask names it' }));
}

function toChange({ installations }: ManagementContext, { appId, request }: ProviderAppUpdate): ProviderAppChange {
  const { providerApp } = request;
  const { provider, clientId, clientSecret, externalRef = null, scopes = null, metadata = null } = providerApp;
  const has = (field: (typeof request.updateMask)[number]): boolean => request.updateMask.includes(field);
  return {
    ...(has('provider') && provider !== undefined ? { provider } : {}),
    ...(has('clientId') && clientId !== undefined ? { clientId } : {}),
    ...(has('clientSecret') && clientSecret !== undefined
      ? { sealed: installations.sealClientSecret(appId, clientSecret) }
      : {}),
    ...(has('externalRef') ? { externalRef } : {}),
    ...(has('scopes') ? { scopes } : {}),
    ...(has('metadata') ? { metadata } : {}),
  };
}
