import type { Issue } from '@sluice/errors';
import type { ConfigContent, UpdateConfigContent } from './config-content';
import { pathOf } from './field-names';
import { diffJson } from './json-diff';
import { bodyIssue } from './problem';
import { parseMaskPath, type MaskAction } from './update-mask';

/** Changes of a config's content in the form of an update-installation request. */
export interface ConfigUpdate {
  /** Paths of what differs; empty when nothing does. */
  readonly updateMask: readonly string[];
  readonly content: UpdateConfigContent;
  /** What no update can change, at the paths that the service names in its issues. Then nothing is to be sent. */
  readonly issues: readonly Issue[];
}

const actions = ['read', 'write', 'subscribe'] as const satisfies readonly MaskAction[];
const allowed: Readonly<Record<string, string>> = {
  read: 'objects',
  write: 'objects',
  subscribe: 'objects',
  proxy: 'enabled',
};
const root = 'installation.config.content';

/**
 * The update that turns one content into another: objects that differ by themselves, so that the account is asked about their fields, and the
 * whole map of an action where an object is gone. What is inside of an object is left to the service to check.
 * @param after as a person wrote it: any JSON
 */
export function configUpdateOf(before: ConfigContent, after: unknown): ConfigUpdate {
  const issues = formIssues(before, after);
  if (issues.length > 0) return { updateMask: [], content: {}, issues };
  const next = after as ConfigContent;
  const updateMask: string[] = [];
  const content: Record<string, unknown> = {};
  for (const action of actions) {
    const [old, now] = [objectsOf(before, action), objectsOf(next, action)];
    const paths = Object.keys(now)
      .filter((name) => !isSame(old[name], now[name]))
      .map((name) => [name, `config.content.${action}.objects.${name}`] as const);
    // A name may end like the path of a switch.
    const isWhole =
      Object.keys(old).some((name) => !Object.hasOwn(now, name)) || paths.some((path) => !namesObject(path));
    const changed = paths.filter(namesObject);
    if (isWhole) updateMask.push(`config.content.${action}.objects`);
    updateMask.push(...changed.map(([, path]) => path));
    if (isWhole) content[action] = { objects: now };
    else if (changed.length > 0)
      content[action] = { objects: Object.fromEntries(changed.map(([name]) => [name, now[name]])) };
  }
  if (next.proxy?.enabled !== before.proxy?.enabled) {
    updateMask.push('config.content.proxy.enabled');
    content['proxy'] = next.proxy;
  }
  return { updateMask, content, issues };
}

type Objects = Readonly<Record<string, unknown>>;

const objectsOf = (content: ConfigContent, action: MaskAction): Objects => content[action]?.objects ?? {};

const isSame = (one: unknown, other: unknown): boolean => diffJson({ one }, { one: other }).length === 0;

function namesObject([name, path]: readonly [string, string]): boolean {
  const parsed = parseMaskPath(path);
  return parsed?.kind === 'object' && parsed.objectName === name;
}

function formIssues(before: ConfigContent, after: unknown): Issue[] {
  if (!isObject(after)) return [bodyIssue(root, 'must be an object with the members of a config')];
  const issues = Object.entries(after).flatMap(([name, value]): Issue[] => {
    const path = pathOf(root, name);
    if (name === 'provider') return [];
    const only = allowed[name];
    if (only === undefined)
      return [bodyIssue(path, `is no member; those are provider, ${Object.keys(allowed).join(', ')}`)];
    if (!isObject(value)) return [bodyIssue(path, `must be an object with the member ${only}`)];
    const others = Object.keys(value).filter((each) => each !== only);
    if (others.length > 0)
      return others.map((each) => bodyIssue(pathOf(path, each), `is no member; the only one is ${only}`));
    const isOfForm = only !== 'objects' || value[only] === undefined || isObject(value[only]);
    return isOfForm ? [] : [bodyIssue(pathOf(path, only), 'must be an object with a member for each object')];
  });
  if (after['provider'] !== before.provider)
    issues.push(bodyIssue(`${root}.provider`, `must stay ${before.provider}: it is the integration's`));
  const { enabled } = (after['proxy'] ?? {}) as { readonly enabled?: unknown };
  if (before.proxy?.enabled !== undefined && enabled === undefined)
    issues.push(bodyIssue(`${root}.proxy.enabled`, 'cannot be removed; set it to false'));
  return issues;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
