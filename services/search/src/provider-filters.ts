import type { Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';
import { toProviderValue, type SearchFilter } from '@sluice/types';
import type { FieldNames } from './searchable-object';

/** A filter in the provider's names and values. */
export interface ProviderFilter {
  readonly field: string;
  readonly value: string | number | boolean;
}

/** Longest text a filter may compare with. */
const valueCharactersMax = 1_024;

/**
 * The filters of a request with provider fields and values. A name that is mapped means the mapped field; any other
 * name is the provider's own.
 * @param faultOf @default any name may mean a field
 * @throws ValidationError 400 for a mapping that the user left unset, a name that means no field, and a value that is too long
 */
export function toProviderFilters(
  filters: readonly SearchFilter[],
  names: FieldNames,
  faultOf: FaultOf = () => undefined,
): ProviderFilter[] {
  const issues = filters.flatMap((filter, at) => issuesOf(filter, `fieldFilters[${at}]`, names, faultOf));
  if (issues.length > 0) throw invalid(issues);
  return filters.map(({ fieldName, value }) => {
    const field = names.mapped.get(fieldName) ?? names.fieldOf(fieldName) ?? fieldName;
    return { field, value: toProviderValue(names.values, field, value) };
  });
}

/** Why a name can mean no field of the provider, as the end of a sentence. */
type FaultOf = (name: string) => string | undefined;

function issuesOf({ fieldName, value }: SearchFilter, path: string, { mapped }: FieldNames, faultOf: FaultOf): Issue[] {
  const issues: Issue[] = [];
  const fault = mapped.has(fieldName) ? undefined : faultOf(fieldName);
  if (fault !== undefined) issues.push({ in: 'body', name: `${path}.fieldName`, detail: fault, value: fieldName });
  if (mapped.has(fieldName) && mapped.get(fieldName) === undefined) {
    const detail = 'is a mapped name for which this installation has no field';
    issues.push({ in: 'body', name: `${path}.fieldName`, detail, value: fieldName });
  }
  if (typeof value === 'string' && value.length > valueCharactersMax) {
    issues.push({ in: 'body', name: `${path}.value`, detail: `must have at most ${valueCharactersMax} characters` });
  }
  return issues;
}
