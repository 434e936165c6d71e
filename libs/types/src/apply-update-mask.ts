import type { ConfigContent, UpdateConfigContent } from './config-content';
import type { UpdateInstallationRequest } from './installation-request';
import { parseMaskPath, type MaskPath } from './update-mask';

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

/** The content with this entry in place of the one of its name, or beside the others. */
export function withObject(
  content: ConfigContent,
  { action, objectName }: Pick<MaskPath & { kind: 'object' }, 'action' | 'objectName'>,
  entry: unknown,
): ConfigContent {
  const objects = { ...content[action]?.objects, [objectName]: entry };
  return { ...content, [action]: { ...content[action], objects } };
}
