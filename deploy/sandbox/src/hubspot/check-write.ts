import type { InputRefusal } from '../control/imitated-provider';
import { alreadyExists, HubspotError } from './errors';
import type { RecordsStore } from './records-store';
import { missingProblems, propertiesInvalid, valueProblems, type PropertyProblem } from './validate-properties';

/** Status of a whole call that fails for a reason of this category. */
const statusOfCategory: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  MISSING_SCOPES: 403,
  OBJECT_NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITS: 429,
  INTERNAL_ERROR: 500,
};

/** Why one write must not happen, or undefined. Names are checked before, by `definitionProblems`. */
export function checkWrite(
  records: RecordsStore,
  values: Readonly<Record<string, string>>,
  options: {
    /** Id of the record that is updated; absent for a new one. */
    readonly ownId?: string | undefined;
    readonly refusal?: InputRefusal | undefined;
  } = {},
): HubspotError | undefined {
  if (options.refusal) return refused(options.refusal);
  const { type } = records;
  const problems = [...missingProblems(type, values, options.ownId === undefined), ...valueProblems(type, values)];
  if (problems.length > 0) return propertiesInvalid(problems);
  const conflict = records.conflict(values, options.ownId);
  if (!conflict) return undefined;
  const { property, existing } = conflict;
  return property === 'email' ? alreadyExists(existing.id) : propertiesInvalid([duplicateValue(property, existing.id)]);
}

/** Carries out a `partial` fault on a call with one input. */
export function refuseByScript(refusals: ReadonlyMap<number, InputRefusal>): void {
  const refusal = refusals.get(0);
  if (refusal) throw refused(refusal);
}

/** The refusal that a `partial` fault asks for. */
export function refused({ code = 'VALIDATION_ERROR', message }: InputRefusal): HubspotError {
  return new HubspotError(statusOfCategory[code] ?? 400, { message, category: code });
}

/** Another record has the value of a custom unique property. */
function duplicateValue(property: string, existingId: string): PropertyProblem {
  return {
    isValid: false,
    message: `${existingId} already has that value.`,
    error: 'CONFLICTING_UNIQUE_VALUE',
    name: property,
  };
}
