import { NotFoundError } from '@sluice/errors';
import { validate } from '@sluice/http';
import {
  applyJsonPatch,
  authorOf,
  checkConfigContent,
  checkPatchConfigContentRequest,
  reachOf,
  updateConfigContentSchema,
  withObject,
  type Caller,
  type ConfigContent,
  type Installation,
  type Integration,
  type PatchConfigContentRequest,
  type UpdateConfigContent,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getInstallation, orNotFound } from './get-installation';
import { contentMisfits, sizeMisfits } from './installation-misfits';
import { refuseContradictions, refuseIssues } from '../refuse-issues';

/** A patch request with what came beside the body. */
export interface ObjectConfigPatch {
  readonly integration: Integration;
  readonly objectName: string;
  readonly caller: Caller;
  readonly request: PatchConfigContentRequest;
}

/** In the words of a whole body, so that an issue names where the outcome breaks a rule. */
const checkOutcome = validate<{ readonly config: { readonly content: UpdateConfigContent } }>({
  type: 'object',
  properties: { config: { type: 'object', properties: { content: updateConfigContentSchema } } },
});

/**
 * Applies a JSON Patch to the configuration of one object. An object that only the manifest declares starts from its
 * default settings. The outcome obeys the rules of an installation's config.
 * @throws ValidationError 422 for a change that does not fit what is stored, 400 for an outcome that breaks a rule
 * @throws NotFoundError `installation.not-found`; `….object-not-in-manifest` when the config lacks the object too
 */
export async function patchObjectConfig(context: ManagementContext, patch: ObjectConfigPatch): Promise<Installation> {
  const { integration, objectName, caller, request } = patch;
  refuseIssues(checkPatchConfigContentRequest(request));
  const { id: installationId } = await findTarget(context, patch);
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const changed = await context.store.installations.change(key, ({ connectionId, content: stored }) => {
    const entry = patched(context, patch, stored);
    const content = withObject(stored, { action: request.action, objectName }, entry);
    refuseContradictions('installation.config-invalid', sizeMisfits(content, 'changes'));
    return { connectionId, content, createdBy: authorOf(caller), isCreatedByAsked: false };
  });
  const installation = orNotFound(changed);
  const { id: configId } = installation.config;
  context.logger.info({ projectId: key.projectId, installationId, configId }, 'installation.updated');
  return installation;
}

async function findTarget(
  context: ManagementContext,
  { integration, caller, request: { installationId, groupRef } }: ObjectConfigPatch,
): Promise<Installation> {
  if (installationId === undefined) {
    const filter = {
      ...reachOf(caller),
      integrationId: integration.id,
      ...(groupRef === undefined ? {} : { groupRef }),
    };
    return orNotFound((await context.store.installations.list(integration.projectId, filter))[0], 'groupRef');
  }
  const installation = await getInstallation(context, integration, installationId, caller);
  const isMeant = groupRef === undefined || installation.group?.groupRef === groupRef;
  return orNotFound(isMeant ? installation : undefined, 'installationId and groupRef');
}

/** The object's configuration after the changes. */
function patched(
  context: ManagementContext,
  { integration, objectName, request: { action, changes } }: ObjectConfigPatch,
  content: ConfigContent,
): object {
  const entry = entryOf(content, action, objectName) ?? declaredEntry(integration, action, objectName);
  const { document, issues = [] } = applyJsonPatch(entry, changes);
  refuseContradictions('installation.config-invalid', issues);
  const outcome = { [action]: { objects: { [objectName]: document } } };
  const checked = checkOutcome({ config: { content: outcome } }).config.content;
  refuseIssues(checkConfigContent(checked, 'config.content'));
  refuseContradictions('installation.config-invalid', contentMisfits(context, integration, checked, 'config.content'));
  return document as object;
}

function entryOf(content: ConfigContent, action: PatchConfigContentRequest['action'], objectName: string) {
  const objects: Readonly<Record<string, unknown>> = content[action]?.objects ?? {};
  const entry = Object.hasOwn(objects, objectName) ? objects[objectName] : undefined;
  return typeof entry === 'object' && entry !== null ? entry : undefined;
}

function declaredEntry(
  integration: Integration,
  action: PatchConfigContentRequest['action'],
  objectName: string,
): object {
  const declared = integration.latestRevision.content[action]?.['objects'];
  const isDeclared = Array.isArray(declared) && declared.some((one: unknown) => isObjectCalled(one, objectName));
  if (isDeclared) return { objectName };
  throw new NotFoundError({
    code: action === 'write' ? 'write.object-not-in-manifest' : 'search.object-not-in-manifest',
    detail: `objectName: neither the manifest's ${action}.objects nor the config has ${objectName}.`,
    remedy: `Add the object to the integration's ${action}.objects.`,
  });
}

function isObjectCalled(value: unknown, objectName: string): boolean {
  return (value as { objectName?: unknown } | null)?.objectName === objectName;
}
