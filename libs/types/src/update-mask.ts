import { isRefusedName } from './field-names';

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

/** What the published browser client names to stop reading an object and to take it up again. */
const readDisabled = /^config\.content\.read\.objects\.(?<objectName>.+)\.disabled$/s;
const objects = /^config\.content\.(?<action>read|write|subscribe)\.objects(?:\.(?<objectName>.+))?$/s;

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
  const groups = objects.exec(path)?.groups;
  const action = groups?.['action'] as MaskAction | undefined;
  if (action === undefined) return undefined;
  const objectName = groups?.['objectName'];
  if (objectName !== undefined && !isNameAllowed(objectName)) return undefined;
  if (objectName !== undefined) return { kind: 'object', action, objectName };
  return { kind: 'objects', action };
}

const isNameAllowed = (objectName: string): boolean => !objectName.split('.').some(isRefusedName);
