import { ValidationError, type Issue } from '@sluice/errors';
import { limits, listItemRule, pathOf, type FieldDecision } from '@sluice/types';

/**
 * Refuses lists that would not arrive as they were sent. Only what is sent is asked: a field that the config leaves out harms
 * nobody. A value that is an object goes to the provider, which refuses it in its own words.
 * @param separator of the provider's lists; undefined: it takes lists as they are
 * @throws ValidationError `request.invalid` with the path of each item, at most 20
 */
export function checkLists(decisions: readonly FieldDecision[], separator: string | undefined, path: string): void {
  if (separator === undefined) return;
  const issues: Issue[] = [];
  for (const { field, value, sent } of decisions) {
    if (!sent || !Array.isArray(value)) continue;
    for (const [at, item] of value.entries()) {
      const detail = listItemRule(item, separator);
      if (detail !== undefined) issues.push({ in: 'body', name: pathOf(pathOf(path, field), at), detail });
      if (issues.length === limits.issuesMax) throw unwritable(issues);
    }
  }
  if (issues.length > 0) throw unwritable(issues);
}

function unwritable(issues: readonly Issue[]): ValidationError {
  const detail = 'A list holds an item that cannot be written as one of several values.';
  return new ValidationError({ code: 'request.invalid', detail, issues });
}
