import type { CallAccount, Refusal } from './api-call';
import { alreadyExists, HubspotError } from './errors';
import { propertiesInvalid, valueProblems, type PropertyProblem } from './validate-properties';

/** Why one write must not happen, or undefined. Names are checked before, by `definitionProblems`. */
export function checkWrite(
  account: CallAccount,
  values: Readonly<Record<string, string>>,
  options: { readonly ownId?: string; readonly refusal?: Refusal | undefined } = {},
): HubspotError | undefined {
  if (options.refusal) return new HubspotError(options.refusal.status, options.refusal.fields);
  const problems = valueProblems(values);
  if (problems.length > 0) return propertiesInvalid(problems);
  const conflict = account.contacts.conflict(values, options.ownId);
  if (!conflict) return undefined;
  const { property, existing } = conflict;
  return property === 'email' ? alreadyExists(existing.id) : propertiesInvalid([duplicateValue(property, existing.id)]);
}

/** Another contact has the value of a custom unique property. */
function duplicateValue(property: string, existingId: string): PropertyProblem {
  return {
    isValid: false,
    message: `${existingId} already has that value.`,
    error: 'CONFLICTING_UNIQUE_VALUE',
    name: property,
  };
}
