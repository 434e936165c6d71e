import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import { pathOf, isRefusedName } from './field-names';
import type { JsonPatchOperation } from './installation-request';

/** The changed document; or, when a change does not fit, why. */
export type Patched<Document> =
  | { readonly document: Document; readonly issues?: undefined }
  | { readonly document?: undefined; readonly issues: readonly Issue[] };

/**
 * Applies changes in order to a copy of a JSON document, all or none. The first change that does not fit ends it: what
 * follows may rest on it. `add` on a member that exists replaces it; its parent must exist. Types are not checked.
 * Source: RFC 6902 without `move`, `copy` and `test`; specification, Update installation object.
 */
export function applyJsonPatch<Document extends object>(
  document: Document,
  changes: readonly JsonPatchOperation[],
): Patched<Document> {
  const copy = JSON.parse(JSON.stringify(document)) as Document;
  for (const [index, change] of changes.entries()) {
    const fault = applyChange(copy, change);
    if (fault !== undefined) {
      return { issues: [bodyIssue(`${pathOf('changes', index)}.path`, fault, change.path)] };
    }
  }
  return { document: copy };
}

/** @returns what does not fit, as a sentence that continues the pointer's name */
function applyChange(root: object, change: JsonPatchOperation): string | undefined {
  const steps = pointerSteps(change.path);
  const last = steps?.at(-1);
  if (steps === undefined || last === undefined) return 'must be a JSON pointer that starts with /';
  let parent: unknown = root;
  for (const [depth, step] of steps.slice(0, -1).entries()) {
    parent = memberOf(parent, step);
    if (parent === undefined) return `leads nowhere: add /${steps.slice(0, depth + 1).join('/')} first`;
  }
  if (Array.isArray(parent)) return changeList(parent, last, change);
  if (typeof parent !== 'object' || parent === null) return 'leads into a value that has no members';
  return changeMember(parent as Record<string, unknown>, last, change);
}

function memberOf(parent: unknown, step: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) return undefined;
  return (parent as Record<string, unknown>)[step];
}

function changeMember(parent: Record<string, unknown>, name: string, { op, value }: JsonPatchOperation) {
  if (op !== 'add' && !Object.hasOwn(parent, name)) return notThere(op);
  if (op === 'remove') delete parent[name];
  else parent[name] = value;
  return undefined;
}

function changeList(list: unknown[], token: string, { op, value }: JsonPatchOperation): string | undefined {
  const index = token === '-' && op === 'add' ? list.length : toIndex(token);
  if (index === undefined) return 'must be an index of the list, from 0';
  // An add may also name the position after the last one.
  if (index > list.length || (index === list.length && op !== 'add')) return notThere(op);
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  return undefined;
}

/** RFC 6901: digits without a leading zero. */
function toIndex(token: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined;
}

function notThere(op: JsonPatchOperation['op']): string {
  return op === 'replace' ? 'names nothing that is there; use add' : 'names nothing that is there';
}

/**
 * The steps of a JSON pointer, unescaped. Undefined for a text that RFC 6901 does not allow, and for the empty pointer, which names the whole
 * document. Also for a step that is empty, has a NUL or reaches into a prototype.
 */
export function pointerSteps(pointer: string): readonly string[] | undefined {
  // RFC 6901: `~` is followed by 0 or 1. A first character other than `/` leaves something before the first slash.
  const [before, ...escaped] = pointer.split('/');
  if (before !== '' || escaped.length === 0 || escaped.some((step) => /~(?![01])/.test(step))) return undefined;
  const steps = escaped.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.some(isRefusedName) ? undefined : steps;
}
