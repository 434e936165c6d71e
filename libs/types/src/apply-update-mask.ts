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
  const { action } = path;
  const objects = given[action]?.objects ?? {};
  if (path.kind === 'objects') return { ...content, [action]: { ...content[action], objects } };
  return withObject(content, path, objects[path.objectName]);
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
