import { NotFoundError, providerProblemCodes, type Issue } from '@sluice/errors';
import { json, jsonList, queryOf, validate, type Router } from '@sluice/http';
import type { ChangeableInstallation, InstallationKey } from '@sluice/store';
import {
  applyJsonPatch,
  authoredConfigSchema,
  authorOf,
  checkConfigContent,
  checkPatchConfigContentRequest,
  configVersionSchema,
  diffJson,
  installationSchema,
  pageProperties,
  patchConfigContentRequestSchema,
  pathOf,
  pointerSteps,
  publishConfigContent,
  reachOf,
  updateConfigContentSchema,
  withObject,
  type Caller,
  type AuthoredConfig,
  type ConfigContent,
  type ConfigVersion,
  type Installation,
  type Integration,
  type Page,
  type PatchConfigContentRequest,
  type UpdateConfigContent,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { routesOfIntegration } from '../integrations/get-integration';
import { boundedList, linkWhenMore, listBytesMax } from '../pages';
import { found, notFound, refuseIssues } from '../refusals';
import {
  changeInstallation,
  changeProperties,
  refuseSuperseded,
  samplingQuery,
  type Sampled,
} from './change-installation';
import { contentIssues, fieldIssues, nothingAsked, sizeIssues } from './check-config';
import { changedInstallation, changedReply, getInstallation, routesOfInstallationKey } from './get-installation';

export function configRoutes(router: Router, context: ManagementContext): void {
  const ofIntegration = routesOfIntegration(router, context, 'Installations');
  ofIntegration.patch('/objects/:objectName/config-content', 'patchObjectConfig', {
    summary: 'Patch the config of one object',
    description: 'JSON Patch: add, replace and remove.',
    replies: { 200: changedInstallation },
    problems: [
      'installation.not-found',
      'group.not-found',
      'installation.config-invalid',
      'write.object-not-in-manifest',
      'search.object-not-in-manifest',
      ...providerProblemCodes,
    ],
    scopes: ['frontend', 'token'],
    query: samplingQuery,
    body: patchConfigContentRequestSchema,
    handle: async (request, integration) => {
      const { objectName } = request.params;
      const { installation, warnings } = await patchObjectConfig(context, integration, objectName, request);
      return changedReply(request.caller, integration, installation, warnings);
    },
  });
  // The history of an installation's configs. What is deleted can still be read, with a key.
  const ofInstallation = routesOfInstallationKey(router, context);
  ofInstallation.get('/configs', 'listConfigs', {
    summary: 'List the configs that an installation has had',
    description:
      'Newest first, always in pages, which end at 1 MB of configs. An installation that was deleted still has them.',
    replies: {
      200: jsonList(authoredConfigSchema, linkWhenMore),
    },
    scopes: ['frontend', 'read', 'token'],
    query: queryOf(pageProperties),
    replyBytesMax: listBytesMax,
    handle: async (request, { key }) => {
      const read = async (page: Page) => {
        const configs = await context.store.configs.listPage(key, page);
        // Every installation has a config, so only an unknown one has none.
        if (configs.items.length === 0 && page.after === undefined) throw notFound('installation.not-found');
        return configs;
      };
      return await boundedList(request, read, publish);
    },
  });
  ofInstallation.get('/configs/:configId', 'getConfig', {
    summary: 'Get a config and what it changed',
    replies: { 200: json(configVersionSchema) },
    scopes: ['frontend', 'read', 'token'],
    answer: async ({ caller, params }, { key }) => publish(caller, await getConfig(context, key, params.configId)),
  });
  ofInstallation.post('/configs/:configId\\:restore', 'restoreConfig', {
    summary: 'Put a config of the past in force again',
    description:
      'Makes a new config with its content, if it fits the manifest of today; with ifConfigId, only while that config is in force.',
    replies: { 200: json(installationSchema) },
    problems: ['installation.config-invalid', 'config.superseded'],
    scopes: ['frontend', 'token'],
    query: queryOf(changeProperties),
    // The content that is in force already makes no config.
    handle: async ({ caller, params: { configId }, query }, { integration, key }) => {
      const { content } = await getConfig(context, key, configId);
      refuseIssues(contentIssues(context, integration, content, 'content'), 'installation.config-invalid');
      const createdBy = authorOf(caller);
      const change = (current: ChangeableInstallation) => {
        refuseSuperseded(current, query);
        return { connectionId: current.connectionId, content, createdBy };
      };
      return changedReply(caller, integration, await changeInstallation(context, key, change, configId));
    },
  });
}

/** What your keys and people are called is for your side, not for a customer's browser. */
function publish<Kind extends AuthoredConfig>(caller: Caller, { createdByLabel, ...config }: Kind) {
  const content = publishConfigContent(config.content);
  return { ...config, content, ...(caller.kind !== 'token' && createdByLabel !== undefined && { createdByLabel }) };
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
  const { config, previous } = found(await store.configs.find(installation, configId), 'config.not-found');
  if (previous === undefined) return config;
  return { ...config, previousConfigId: previous.id, changes: diffJson(previous.content, config.content) };
}

/** As a path of the whole body, so that an issue names where the result breaks a rule. */
const checkOutcome = validate<{ readonly config: { readonly content: UpdateConfigContent } }>({
  type: 'object',
  properties: { config: { type: 'object', properties: { content: updateConfigContentSchema } } },
});

/**
 * Applies a JSON Patch to the configuration of one object. An object that only the manifest declares starts from its
 * default settings. The outcome obeys the rules of an installation's config; a field that a change names must exist at the account.
 * @returns with ends of sentences for `Sluice-Warning`
 * @throws ValidationError 422 for a change that does not fit what is stored, 400 for an outcome that breaks a rule
 * @throws NotFoundError `installation.not-found`; `….object-not-in-manifest` when the config lacks the object too
 */
async function patchObjectConfig(
  context: ManagementContext,
  integration: Integration,
  objectName: string,
  { caller, body, query, traceparent }: Sampled<PatchConfigContentRequest>,
) {
  refuseIssues(checkPatchConfigContentRequest(body));
  const { action } = body;
  const { id: installationId, config, connection } = await findTarget(context, integration, caller, body);
  const change = (content: ConfigContent) =>
    withObject(content, { action, objectName }, patched(context, integration, objectName, { ...body, content }));
  // Asked before the row is locked, and only about what the changes name: what is stored was asked about when it came.
  const { issues, warnings } =
    action !== 'read' || query.skipSampling
      ? nothingAsked
      : await fieldIssues(context, {
          integration,
          connection,
          content: { read: { objects: ofObject(change(config.content), objectName) } },
          stored: config.content,
          path: 'config.content',
          traceparent,
        });
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const installation = await changeInstallation(context, key, ({ connectionId, content: stored }) => {
    const content = change(stored);
    refuseIssues([...sizeIssues(content, 'changes'), ...issues], 'installation.config-invalid');
    return { connectionId, content, createdBy: authorOf(caller) };
  });
  return { installation, warnings };
}

function ofObject({ read }: ConfigContent, objectName: string) {
  const entry = read?.objects?.[objectName];
  return entry === undefined ? {} : { [objectName]: entry };
}

async function findTarget(
  context: ManagementContext,
  integration: Integration,
  caller: Caller,
  { installationId, groupRef }: PatchConfigContentRequest,
): Promise<Installation> {
  if (installationId === undefined) {
    const filter = { ...reachOf(caller), integrationId: integration.id, groupRef };
    const [first] = await context.store.installations.list(integration.projectId, filter);
    return found(first, 'installation.not-found', 'groupRef');
  }
  const installation = await getInstallation(context, integration, installationId, caller);
  const isMeant = groupRef === undefined || installation.group?.groupRef === groupRef;
  return found(isMeant ? installation : undefined, 'installation.not-found', 'installationId and groupRef');
}

/** The object's configuration after the changes. */
function patched(
  context: ManagementContext,
  integration: Integration,
  objectName: string,
  { action, changes, content }: PatchConfigContentRequest & { readonly content: ConfigContent },
): object {
  const entry = entryOf(integration, content, action, objectName);
  const { document, issues = [] } = applyJsonPatch(entry, changes);
  refuseIssues(
    issues.map((issue) => withRightAction(issue, action)),
    'installation.config-invalid',
  );
  const here = pathOf(`config.content.${action}.objects`, objectName);
  refuseIssues(
    Object.keys(document ?? {}).flatMap((member) => {
      const detail = ofOtherAction(action, member);
      return detail === undefined ? [] : [{ in: 'body' as const, name: pathOf(here, member), detail }];
    }),
  );
  const outcome = { [action]: { objects: { [objectName]: document } } };
  const checked = checkOutcome({ config: { content: outcome } }).config.content;
  refuseIssues(checkConfigContent(checked, 'config.content'));
  refuseIssues(contentIssues(context, integration, checked, 'config.content'), 'installation.config-invalid');
  return document as object;
}

const objectsOf = updateConfigContentSchema.properties;
/** The members that the configuration of one object may have. For `subscribe`, which is stored only, any. */
const membersOf = {
  read: Object.keys(objectsOf.read.properties.objects.additionalProperties.properties),
  write: Object.keys(objectsOf.write.properties.objects.additionalProperties.properties),
};

/** A remedy that stays within this action would be refused as well. */
function withRightAction(issue: Issue, action: PatchConfigContentRequest['action']): Issue {
  const [member = ''] = (typeof issue.value === 'string' && pointerSteps(issue.value)) || [];
  const isOther = ofOtherAction(action, member);
  return isOther === undefined ? issue : { ...issue, detail: `${issue.detail.split(/[:;]/)[0]}: ${member} ${isOther}` };
}

/** What to say of a member that only objects of the other action have, as a sentence that continues its name. */
function ofOtherAction(action: PatchConfigContentRequest['action'], member: string): string | undefined {
  if (action === 'subscribe' || membersOf[action].includes(member)) return undefined;
  const other = action === 'read' ? 'write' : 'read';
  return membersOf[other].includes(member)
    ? `is a member of ${other}, so send the change with action: ${other}`
    : undefined;
}

function entryOf(
  integration: Integration,
  content: ConfigContent,
  action: PatchConfigContentRequest['action'],
  objectName: string,
): object {
  const objects: Readonly<Record<string, unknown>> = content[action]?.objects ?? {};
  const entry = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  if (typeof entry === 'object' && entry !== null) return entry;
  const declared = integration.latestRevision.content[action]?.['objects'] ?? [];
  const isNamed = (one: unknown) => (one as { objectName?: unknown } | null)?.objectName === objectName;
  if (Array.isArray(declared) && declared.some(isNamed)) return { objectName };
  throw new NotFoundError({
    code: action === 'write' ? 'write.object-not-in-manifest' : 'search.object-not-in-manifest',
    detail: `objectName: neither the manifest's ${action}.objects nor the config has ${objectName}.`,
    remedy: `Add the object to the integration's ${action}.objects.`,
  });
}
