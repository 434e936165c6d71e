import { isHostileName } from '@sluice/types';

/** Most members of one object. */
export const membersMax = 1_000;

/** What is wrong with a member's name, as the end of a sentence; undefined when nothing is. */
export function nameFault(name: string): string | undefined {
  if (isHostileName(name)) return 'has a name that is not allowed (__proto__, constructor, prototype)';
  if (name.includes('\0')) return 'has a name with a NUL character';
  if (!name.isWellFormed()) return 'has a name that is not valid Unicode (a lone surrogate)';
  return undefined;
}

/**
 * Counts the members of all objects inside a parsed value.
 * @param checkAll whether names need the full look; only a text with `\u` escapes can hide a NUL or a surrogate
 * @returns undefined when a name is not allowed or an object has too many members
 */
export function countMembers(value: unknown, checkAll: boolean): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return sumOf(value, checkAll);
  const names = Object.keys(value);
  if (names.length > membersMax) return undefined;
  for (const name of names) {
    if (checkAll ? nameFault(name) !== undefined : isHostileName(name)) return undefined;
  }
  const inside = sumOf(Object.values(value), checkAll);
  return inside === undefined ? undefined : names.length + inside;
}

function sumOf(values: readonly unknown[], checkAll: boolean): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const count = countMembers(value, checkAll);
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
