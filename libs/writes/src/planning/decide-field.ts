import type { FieldDecision, JsonValue } from '@sluice/types';
import type { FieldRule } from './field-rule';

/**
 * Whether a field is written, where to, with which value, and why: what `dryRun` shows.
 * Source: specification, Config Content (`selectedFieldSettings`) and Write records, rules 5 and 6.
 * @param why where the value comes from
 */
export function decideField(rule: FieldRule, field: string, sent: JsonValue, why: string): FieldDecision {
  const { providerField, left, values, isIfEmpty } = rule;
  const where = providerField === undefined ? { field } : { field, providerField };
  if (left !== undefined) return { ...where, value: sent, reason: left, sent: false };
  // The delivered value becomes the provider's where mappings are inherited.
  const mapped = typeof sent === 'string' ? values?.get(sent) : undefined;
  let reason = why;
  if (mapped !== undefined) reason += '; the value is mapped by selectedValueMappings';
  if (isIfEmpty) reason += '; writeOnUpdate is ifEmpty: written only if the field is empty at the provider';
  return { ...where, value: mapped ?? sent, reason, sent: true };
}
