import { isRefusedName } from './field-names';
import type { ConfigContent, UpdateConfigContent } from './config-content';
import type { UpdateInstallationRequest } from './installation-request';

/** One path of an installation's update mask, read. */
export type MaskPath =
  | { readonly kind: 'connectionId' }
  | { readonly kind: 'createdBy' }
  | { readonly kind: 'proxyEnabled' }
  | { readonly kind: 'readDisabled'; readonly objectName: string }
  | { readonly kind: 'objects'; readonly action: MaskAction }
  | { readonly kind: 'object'; readonly action: MaskAction; readonly objectName: string };

/** Part of a config's content that is a map of objects. */
export type MaskAction = 'read' | 'write' | 'subscribe';

/** The path that the published browser client uses to stop reading an object and to resume. */
const readDisabled = /^config\.content\.read\.objects\.(?<objectName>.+)\.disabled$/s;
const objectsPath = /^config\.content\.(?<action>read|write|subscribe)\.objects(?:\.(?<objectName>.+))?$/s;

/**
 * Reads a path of an update mask; undefined when it is not one of those allowed. Everything after
 * `config.content.<action>.objects.` is the object's name, dots included; under `read` a last `.disabled` names that switch of
 * the object. Without a name the whole map is meant. A segment that reaches into a prototype is never allowed. Source: published API, installations.
 */
export function parseMaskPath(path: string): MaskPath | undefined {
  if (path === 'connectionId') return { kind: 'connectionId' };
  if (path === 'config.createdBy') return { kind: 'createdBy' };
  if (path === 'config.content.proxy.enabled') return { kind: 'proxyEnabled' };
  const switched = readDisabled.exec(path)?.groups?.['objectName'];
  if (switched !== undefined)
    return isNameAllowed(switched) ? { kind: 'readDisabled', objectName: switched } : undefined;
  const groups = objectsPath.exec(path)?.groups;
  const action = groups?.['action'] as MaskAction | undefined;
  if (action === undefined) return undefined;
  const objectName = groups?.['objectName'];
  if (objectName !== undefined && !isNameAllowed(objectName)) return undefined;
  if (objectName !== undefined) return { kind: 'object', action, objectName };
  return { kind: 'objects', action };
}

const isNameAllowed = (objectName: string): boolean => !objectName.split('.').some(isRefusedName);

/**
 * The content after an update: what the mask names comes from the request, everything else stays as it is. Call it with
 * a request that `checkUpdateInstallationRequest` has passed. Source: specification, Update installation.
 */
export function applyUpdateMask(stored: ConfigContent, request: UpdateInstallationRequest): ConfigContent {
  const given = request.installation.config?.content ?? {};
  return request.updateMask.reduce((content, path) => {
    const parsed = parseMaskPath(path);
    return parsed === undefined ? content : applyPath(content, given, parsed);
  }, stored);
}

function applyPath(content: ConfigContent, given: UpdateConfigContent, path: MaskPath): ConfigContent {
  if (path.kind === 'connectionId' || path.kind === 'createdBy') return content;
  if (path.kind === 'proxyEnabled') return { ...content, proxy: { ...content.proxy, ...given.proxy } };
  if (path.kind === 'readDisabled') return withSwitch(content, given, path.objectName);
  const { action } = path;
  const objects = given[action]?.objects ?? {};
  // An update may leave out the name of a read object: it is the key.
  const named = ([name, entry]: [string, unknown]) =>
    [name, action === 'read' ? { objectName: name, ...(entry as object) } : entry] as const;
  if (path.kind === 'object') return withObject(content, path, named([path.objectName, objects[path.objectName]])[1]);
  const entries = Object.entries(objects).map(named);
  return { ...content, [action]: { ...content[action], objects: Object.fromEntries(entries) } };
}

/** Everything else of the object stays as it is. */
function withSwitch(content: ConfigContent, given: UpdateConfigContent, objectName: string): ConfigContent {
  const { disabled } = given.read?.objects?.[objectName] ?? {};
  const { objects = {} } = content.read ?? {};
  const stored = Object.hasOwn(objects, objectName) ? objects[objectName] : { objectName };
  return withObject(content, { action: 'read', objectName }, { ...stored, disabled });
}

/** The content with this entry replacing the one of its name, or added. */
export function withObject(
  content: ConfigContent,
  { action, objectName }: Pick<MaskPath & { kind: 'object' }, 'action' | 'objectName'>,
  entry: unknown,
): ConfigContent {
  const objects = { ...content[action]?.objects, [objectName]: entry };
  return { ...content, [action]: { ...content[action], objects } };
}
