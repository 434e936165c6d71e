import type { JsonPatchOperation } from './installation-request';

/**
 * What turns one JSON document into another, as a JSON Patch (RFC 6902: `add`, `remove`, `replace`): one change per member
 * that differs, however deep. A list that differs is replaced whole; the order of members is no difference. Applied to
 * `before` the changes make `after`. Both are objects.
 */
export function diffJson(before: object, after: object): JsonPatchOperation[] {
  return diffMembers('', before as Members, after as Members);
}

type Members = Readonly<Record<string, unknown>>;

function diffMembers(path: string, before: Members, after: Members): JsonPatchOperation[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(after, name)) return [{ op: 'remove' as const, path: at }];
    if (!Object.hasOwn(before, name)) return [{ op: 'add' as const, path: at, value: after[name] }];
    return diffValues(at, before[name], after[name]);
  });
}

function diffValues(path: string, before: unknown, after: unknown): JsonPatchOperation[] {
  if (hasMembers(before) && hasMembers(after)) return diffMembers(path, before, after);
  return isSame(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((item, at) => isSame(item, after[at]));
  }
  if (hasMembers(before) && hasMembers(after)) return diffMembers('', before, after).length === 0;
  return before === after;
}
