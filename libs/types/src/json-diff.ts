import type { JsonPatchOperation } from './installation-request';
import { limits } from './limits';

/**
 * What turns one JSON document into another, as a JSON Patch (RFC 6902: `add`, `remove`, `replace`): one change per member that differs, however
 * deep. A list that differs is replaced whole; the order of members is no difference. Applied to `before` the changes make `after`. Both are objects.
 * If the paths of all changes have more than `limits.configCharactersMax` characters together, each outermost member that differs is replaced whole.
 */
export function diffJson(before: object, after: object): JsonPatchOperation[] {
  const changes: JsonPatchOperation[] = [];
  let characters = 0;
  for (const change of diffMembers({ path: '', isDeep: true }, before as Members, after as Members)) {
    characters += change.path.length;
    if (characters > limits.configCharactersMax)
      return [...diffMembers({ path: '', isDeep: false }, before as Members, after as Members)];
    changes.push(change);
  }
  return changes;
}

type Members = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  /** Whether changes inside a member are named one by one. */
  readonly isDeep: boolean;
}

function* diffMembers({ path, isDeep }: Place, before: Members, after: Members): Generator<JsonPatchOperation> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(after, name)) yield { op: 'remove', path: at };
    else if (!Object.hasOwn(before, name)) yield { op: 'add', path: at, value: after[name] };
    else yield* diffValues({ path: at, isDeep }, before[name], after[name]);
  }
}

function* diffValues(place: Place, before: unknown, after: unknown): Generator<JsonPatchOperation> {
  if (place.isDeep && hasMembers(before) && hasMembers(after)) yield* diffMembers(place, before, after);
  else if (!isSame(before, after)) yield { op: 'replace', path: place.path, value: after };
}

function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((item, at) => isSame(item, after[at]));
  }
  if (hasMembers(before) && hasMembers(after))
    return diffMembers({ path: '', isDeep: true }, before, after).next().done === true;
  return before === after;
}
