import type { Issue } from '@sluice/errors';

/** Names that would reach into an object's prototype. Source: reliability notes 4.3, number 30. */
const hostileNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name reaches into the prototype of an object that is built or copied carelessly. Refused wherever a name is sent. */
export function isHostileName(name: string): boolean {
  return hostileNames.has(name);
}

/** A member's path as issues spell it: `record.email`, `record["first name"]`, `batch[3].record.id`. */
export function pathOf(base: string, name: string | number): string {
  if (typeof name === 'number') return `${base}[${name}]`;
  return /^[\w$-]+$/.test(name) ? (base === '' ? name : `${base}.${name}`) : `${base}[${JSON.stringify(name)}]`;
}

/** An issue for each member name of `value`, at any depth, that is empty, holds a NUL or reaches into a prototype. */
export function checkNames(value: unknown, path: string): Issue[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => checkNames(item, pathOf(path, index)));
  return Object.entries(value).flatMap(([name, member]) => {
    const rule = nameRule(name);
    const here = pathOf(path, name);
    return rule === undefined ? checkNames(member, here) : [{ in: 'body' as const, name: here, detail: rule }];
  });
}

/** Whether no member may be called so: empty, with a NUL, or reaching into a prototype. */
export function isRefusedName(name: string): boolean {
  return nameRule(name) !== undefined;
}

function nameRule(name: string): string | undefined {
  if (name === '') return 'has an empty name';
  if (name.includes('\0')) return 'has a NUL in its name';
  return isHostileName(name) ? 'has a name that is not allowed' : undefined;
}
