import type { FieldDecision, JsonValue } from '@sluice/types';
import { targetOf, type WriteRules } from './write-rules';

/**
 * Whether a field is written, where to, with which value, and why: what `dryRun` shows.
 * Source: specification, Config Content (`selectedFieldSettings`) and Write records, rules 5 and 6.
 * @param why where the value comes from
 */
export function decideField(rules: WriteRules, field: string, sent: JsonValue, why: string): FieldDecision {
  const { type, mappings, settings } = rules;
  const isMapped = mappings?.has(field) === true;
  if (isMapped && mappings?.get(field) === undefined) {
    return { field, value: sent, reason: 'the user chose no field for this mapped name', sent: false };
  }
  const providerField = targetOf(field, mappings);
  const setting = settings.get(field);
  const left = (reason: string): FieldDecision => ({ field, providerField, value: sent, reason, sent: false });
  if (type === 'create' && setting?.writeOnCreate === 'never') return left('writeOnCreate is never');
  if (type === 'update' && setting?.writeOnUpdate === 'never') return left('writeOnUpdate is never');
  if (rules.dropsUnmapped && !isMapped && !rules.mappedFields.has(field)) return left('dropUnmappedFields is on');
  // The delivered value becomes the provider's where mappings are inherited.
  const mapped = typeof sent === 'string' ? rules.values.get(providerField)?.get(sent) : undefined;
  let reason = why;
  if (mapped !== undefined) reason += '; the value is mapped by selectedValueMappings';
  if (type === 'update' && setting?.writeOnUpdate === 'ifEmpty') {
    reason += '; writeOnUpdate is ifEmpty: written only if the field is empty at the provider';
  }
  return { field, providerField, value: mapped ?? sent, reason, sent: true };
}
