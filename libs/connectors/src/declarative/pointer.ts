/** The steps of a pointer that the file's check has let pass. Source: RFC 6901. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a pointer leads to; undefined where it leads nowhere. Own members only, so no name reaches into a prototype. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const step of stepsOf(pointer)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
}

/** A text that is not empty, or a number or a boolean as text; undefined for everything else. */
export function textAt(value: unknown, pointer: string): string | undefined {
  const found = valueAt(value, pointer);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}

/**
 * An id: a text, or a whole number in all its digits. Numbers that JavaScript cannot hold come as text from the reply's reader
 * (`reply-body.ts`), so none is shown rounded or with an exponent.
 */
export function idAt(value: unknown, pointer: string): string | undefined {
  const found = valueAt(value, pointer);
  if (typeof found === 'string') return found.trim() === '' ? undefined : found;
  return Number.isSafeInteger(found) ? String(found) : undefined;
}

/** An object; undefined for everything else, lists included. */
export function recordAt(value: unknown, pointer: string): Readonly<Record<string, unknown>> | undefined {
  const found = valueAt(value, pointer);
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Readonly<Record<string, unknown>>)
    : undefined;
}
