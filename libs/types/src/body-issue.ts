import type { Issue } from '@sluice/errors';

/** A broken rule of the body. `detail` continues the field's name: `must be …`; `value` only where it is no secret. */
export function bodyIssue(name: string, detail: string, value?: unknown): Issue {
  return { in: 'body', name, detail, ...(value === undefined ? {} : { value }) };
}
