import type { Issue } from '@sluice/errors';
import { refuseIssues } from './refuse-issues';

/**
 * The values that an update mask names; other values are ignored.
 * @param name member of the body that holds the values
 * @throws ValidationError 400 for a field of the mask without a value
 */
export function maskedValues<Values extends object>(
  updateMask: readonly (keyof Values & string)[],
  values: Values,
  name: string,
): Partial<Values> {
  const absent = updateMask
    .filter((field) => values[field] === undefined)
    .map((field): Issue => ({
      in: 'body',
      name: `${name}.${field}`,
      detail: 'is required, because updateMask names it',
    }));
  refuseIssues(absent);
  return Object.fromEntries(updateMask.map((field) => [field, values[field]])) as Partial<Values>;
}
