import { json, jsonList, route, type Router } from '@sluice/http';
import {
  type Caller,
  type Config,
  configSchema,
  configVersionSchema,
  installationSchema,
  type Page,
  type PageQuery,
  publishConfigContent,
  authorOf,
  type Installation,
  type Integration,
  diffJson,
  type ConfigVersion,
} from '@sluice/types';
import { NotFoundError } from '@sluice/errors';
import type { InstallationKey } from '@sluice/store';
import type { ManagementContext } from '../context';
import { getIntegration } from '../integrations/get-integration';
import { getProject } from '../projects/get-project';
import { boundedList } from '../paged-list';
import { presentInstallation } from '../connections/present-connection';
import { undeclaredWarning } from '../integrations/manifest-warnings';
import { integrationPath, listBytesMax, noQuery, linkWhenMore, pageQuery } from '../paths';
import { refuseContradictions } from '../refuse-issues';
import { assertReach, installationNotFound, orNotFound } from './get-installation';
import { contentMisfits } from './installation-misfits';

interface ListParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
  readonly query: PageQuery;
}

interface ConfigParts {
  readonly params: ListParts['params'] & { configId: string };
}

interface RequestOfInstallation {
  readonly caller: Caller;
  readonly params: ListParts['params'];
}

const configsPath = `${integrationPath}/installations/:installationId/configs`;

/**
 * The history of an installation's configs: `GET …/configs`, `GET …/configs/{configId}`, `POST …/configs/{configId}:restore`.
 * What is deleted can still be read, with a key.
 */
export function configRoutes(router: Router, context: ManagementContext): void {
  const { configs } = context.store;
  router.get(
    configsPath,
    route<ListParts>({
      operationId: 'listConfigs',
      summary: 'List the configs that an installation has had',
      description:
        'Newest first, always in pages, which end at 1 MB of configs. An installation that was deleted still has them.',
      tags: ['Installations'],
      replies: { 200: jsonList(configSchema, linkWhenMore) },
      scopes: ['frontend', 'read', 'token'],
      query: pageQuery,
      replyBytesMax: listBytesMax,
      handle: async (request) => {
        const { key } = await findTarget(context, request);
        const read = async (page: Page) => {
          const found = await configs.listPage(key, page);
          // Every installation has a config, so only an unknown one has none.
          if (found.items.length === 0 && page.after === undefined) throw installationNotFound();
          return found;
        };
        return await boundedList(request, read, publish);
      },
    }),
  );
  router.get(
    `${configsPath}/:configId`,
    route<ConfigParts>({
      operationId: 'getConfig',
      summary: 'Get a config and what it changed',
      tags: ['Installations'],
      replies: { 200: json(configVersionSchema) },
      scopes: ['frontend', 'read', 'token'],
      query: noQuery,
      handle: async (request) => {
        const { key } = await findTarget(context, request);
        return { body: publish(await getConfig(context, key, request.params.configId)) };
      },
    }),
  );
  router.post(
    `${configsPath}/:configId\\:restore`,
    route<ConfigParts>({
      operationId: 'restoreConfig',
      summary: 'Put a config of the past in force again',
      description: 'Makes a new config with its content, if it fits the manifest of today.',
      tags: ['Installations'],
      replies: { 200: json(installationSchema) },
      problems: ['installation.config-invalid'],
      scopes: ['frontend', 'token'],
      query: noQuery,
      handle: async (request) => {
        const { integration, key } = await findTarget(context, request);
        const { caller } = request;
        const { configId } = request.params;
        const { installationId } = key;
        const restored = await restoreConfig(context, { integration, installationId, configId, caller });
        return { body: presentInstallation(caller, restored), headers: undeclaredWarning(integration, restored) };
      },
    }),
  );
}

function publish<Kind extends Config>(config: Kind): Kind {
  return { ...config, content: publishConfigContent(config.content) };
}

async function findTarget(context: ManagementContext, { caller, params }: RequestOfInstallation) {
  const project = await getProject(context, caller, params.projectIdOrName);
  const integration = await getIntegration(context, project.id, params.integrationId);
  const { installationId } = params;
  await assertReach(context, integration, installationId, caller);
  return { integration, key: { projectId: project.id, integrationId: integration.id, installationId } };
}

/** Which config of an installation is to be in force again, and who says so. */
interface ConfigRestoration {
  readonly integration: Integration;
  readonly installationId: string;
  readonly configId: string;
  readonly caller: Caller;
}

/**
 * Makes a new config with the content of an old one, under the rules and the manifest of today. The content that is in
 * force already makes none.
 * @throws NotFoundError `config.not-found`; `installation.not-found` when it is deleted
 * @throws ValidationError 422 when the content does not fit any more
 */
async function restoreConfig(context: ManagementContext, restoration: ConfigRestoration): Promise<Installation> {
  const { integration, installationId, configId, caller } = restoration;
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const { content } = await getConfig(context, key, configId);
  refuseContradictions('installation.config-invalid', contentMisfits(context, integration, content, 'content'));
  const restored = await context.store.installations.change(key, ({ connectionId }) => ({
    connectionId,
    content,
    createdBy: authorOf(caller),
    isCreatedByAsked: false,
  }));
  const installation = orNotFound(restored);
  const meta = { projectId: key.projectId, installationId, configId: installation.config.id, restored: configId };
  context.logger.info(meta, 'installation.updated');
  return installation;
}

/**
 * A config of an installation with what it changed, also of an installation that is deleted.
 * @throws NotFoundError `config.not-found`, the same for a config of another installation
 */
async function getConfig(
  { store }: ManagementContext,
  installation: InstallationKey,
  configId: string,
): Promise<ConfigVersion> {
  const found = await store.configs.find(installation, configId);
  if (found === undefined) {
    const detail = 'configId: there is no such config of this installation.';
    throw new NotFoundError({ code: 'config.not-found', detail });
  }
  const { config, previous } = found;
  if (previous === undefined) return config;
  return { ...config, previousConfigId: previous.id, changes: diffJson(previous.content, config.content) };
}
