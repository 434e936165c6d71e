import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import { checkConfigContent } from './config-content';
import { pathOf } from './field-names';
import type {
  CreateInstallationRequest,
  PatchConfigContentRequest,
  UpdateInstallationRequest,
} from './installation-request';
import { pointerSteps } from './json-patch';
import { limits } from './limits';
import { parseMaskPath, type MaskPath } from './update-mask';

const fixedPaths = [
  'connectionId',
  'config.createdBy',
  'config.content.proxy.enabled',
  'config.content.read.objects',
  'config.content.write.objects',
  'config.content.subscribe.objects',
];
const allowedPaths = `${fixedPaths.join(', ')}, config.content.read.objects.<object>.disabled or config.content.{read|write|subscribe}.objects.<object>`;

/** Objects whose paths an unknown path is compared with. Our choice: a comparison costs microseconds, and a body has many names. */
const comparedMax = 50;

/** Finds the known name that a misspelled one most likely means. */
export type FindNearest = (name: string, known: readonly string[]) => string | undefined;

/** Rules of a create-installation body, after its schema. */
export function checkCreateInstallationRequest(body: CreateInstallationRequest): Issue[] {
  return checkConfigContent(body.config.content, 'config.content');
}

/**
 * Rules of an update-installation body, after its schema: known paths only, and a value for each.
 * @param findNearest for the sentence about an unknown path
 */
export function checkUpdateInstallationRequest(body: UpdateInstallationRequest, findNearest: FindNearest): Issue[] {
  const mask: Issue[] = [];
  for (const [index, path] of body.updateMask.entries()) {
    const fault = maskFault(body, path, findNearest);
    if (fault !== undefined) mask.push(bodyIssue(pathOf('updateMask', index), fault, path.slice(0, 80)));
    // Looking for what is meant is work: no more of it than is shown.
    if (mask.length === limits.issuesMax) return mask;
  }
  const content = body.installation.config?.content;
  const issues = content ? [...mask, ...checkConfigContent(content, 'installation.config.content')] : mask;
  return issues.slice(0, limits.issuesMax);
}

function maskFault(body: UpdateInstallationRequest, path: string, findNearest: FindNearest): string | undefined {
  const parsed = parseMaskPath(path);
  if (!parsed) return unknownPath(body, path, findNearest);
  if (hasValue(body, parsed)) return undefined;
  const whole = parsed.kind === 'object' ? objectAbove(body, parsed) : undefined;
  if (whole === undefined) return 'has no value in installation';
  return `goes deeper than the object, which is changed as a whole: name ${whole}, or change a part of it with PATCH …/config-content`;
}

/** The path of an object in the body that this path goes into: a name may hold dots, so only the body shows it. */
function objectAbove(
  { installation }: UpdateInstallationRequest,
  path: MaskPath & { kind: 'object' },
): string | undefined {
  const { action, objectName } = path;
  const names = Object.keys(installation.config?.content?.[action]?.objects ?? {}).slice(0, comparedMax);
  const above = names.find((name) => objectName.startsWith(`${name}.`));
  return above === undefined ? undefined : `config.content.${action}.objects.${above}`;
}

/** Rules of a patch of one object's configuration, after its schema. */
export function checkPatchConfigContentRequest(body: PatchConfigContentRequest): Issue[] {
  const target: Issue[] =
    body.groupRef === undefined && body.installationId === undefined
      ? [bodyIssue('groupRef', 'is required, or installationId instead')]
      : [];
  const changes = body.changes.flatMap(({ op, path, value }, index): Issue[] => {
    const name = pathOf('changes', index);
    const issues: Issue[] = pointerSteps(path)
      ? []
      : [bodyIssue(`${name}.path`, 'must be a JSON pointer such as /deletionSettings', path.slice(0, 80))];
    if (op !== 'remove' && value === undefined) {
      issues.push(bodyIssue(`${name}.value`, `is required for ${op}`));
    }
    return issues;
  });
  return [...target, ...changes];
}

/** Among what can be updated: a path that this one is the end of, else the nearest by spelling. */
function unknownPath({ installation }: UpdateInstallationRequest, path: string, findNearest: FindNearest): string {
  const content = installation.config?.content ?? {};
  const objectPaths = (['read', 'write', 'subscribe'] as const).flatMap((action) =>
    Object.keys(content[action]?.objects ?? {}).map((name) => `config.content.${action}.objects.${name}`),
  );
  const known = [...objectPaths.slice(0, comparedMax).filter((one) => parseMaskPath(one)), ...fixedPaths];
  const meant = known.find((one) => one.endsWith(`.${path}`)) ?? findNearest(path, known);
  return meant === undefined
    ? `is not a path that can be updated; those are ${allowedPaths}`
    : `is not a path that can be updated; did you mean ${meant}?`;
}

function hasValue({ installation }: UpdateInstallationRequest, path: MaskPath): boolean {
  const { config } = installation;
  if (path.kind === 'connectionId') return installation.connectionId !== undefined;
  if (path.kind === 'createdBy') return config?.createdBy !== undefined;
  if (path.kind === 'proxyEnabled') return config?.content?.proxy?.enabled !== undefined;
  if (path.kind === 'readDisabled') {
    const { objects = {} } = config?.content?.read ?? {};
    return Object.hasOwn(objects, path.objectName) && objects[path.objectName]?.disabled !== undefined;
  }
  const objects = config?.content?.[path.action]?.objects;
  if (path.kind === 'objects') return objects !== undefined;
  return objects !== undefined && Object.hasOwn(objects, path.objectName);
}
