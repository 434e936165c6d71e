import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import { checkConfigContent } from './config-content-rules';
import { pathOf } from './field-names';
import type {
  CreateInstallationRequest,
  PatchConfigContentRequest,
  UpdateInstallationRequest,
} from './installation-request';
import { parseMaskPath, type MaskPath } from './update-mask';

const allowedPaths =
  'connectionId, config.createdBy, config.content.proxy.enabled, config.content.{read|write|subscribe}.objects.<object>, ' +
  'config.content.{write|subscribe}.objects';

/** Rules of a create-installation body, after its schema. */
export function checkCreateInstallationRequest(body: CreateInstallationRequest): Issue[] {
  return checkConfigContent(body.config.content, 'config.content');
}

/** Rules of an update-installation body, after its schema: known paths only, and a value for each. */
export function checkUpdateInstallationRequest(body: UpdateInstallationRequest): Issue[] {
  const mask = body.updateMask.flatMap((path, index): Issue[] => {
    const name = pathOf('updateMask', index);
    const parsed = parseMaskPath(path);
    if (!parsed) return [bodyIssue(name, `must be one of ${allowedPaths}`, path.slice(0, 80))];
    return hasValue(body, parsed) ? [] : [bodyIssue(name, 'has no value in installation', path)];
  });
  const content = body.installation.config?.content;
  return content ? [...mask, ...checkConfigContent(content, 'installation.config.content')] : mask;
}

/** Rules of a patch of one object's configuration, after its schema. */
export function checkPatchConfigContentRequest(body: PatchConfigContentRequest): Issue[] {
  const target: Issue[] =
    body.groupRef === undefined && body.installationId === undefined
      ? [bodyIssue('groupRef', 'is required, or installationId in its place')]
      : [];
  const changes = body.changes.flatMap(({ op, path, value }, index): Issue[] => {
    const name = pathOf('changes', index);
    // RFC 6901: `~` is followed by 0 or 1. The empty pointer would replace the whole configuration.
    const isPointer = /^(\/([^~/\0]|~[01])*)+$/.test(path);
    const issues: Issue[] = isPointer
      ? []
      : [bodyIssue(`${name}.path`, 'must be a JSON pointer that starts with /', path)];
    if (op !== 'remove' && value === undefined) {
      issues.push(bodyIssue(`${name}.value`, `is required for ${op}`));
    }
    return issues;
  });
  return [...target, ...changes];
}

function hasValue({ installation }: UpdateInstallationRequest, path: MaskPath): boolean {
  const { config } = installation;
  if (path.kind === 'connectionId') return installation.connectionId !== undefined;
  if (path.kind === 'createdBy') return config?.createdBy !== undefined;
  if (path.kind === 'proxyEnabled') return config?.content?.proxy?.enabled !== undefined;
  const objects = config?.content?.[path.action]?.['objects'] as Readonly<Record<string, unknown>> | undefined;
  if (path.kind === 'objects') return objects !== undefined;
  return objects !== undefined && Object.hasOwn(objects, path.objectName);
}
