import type { RecordResult } from '@sluice/connectors';
import { fieldSteps, type WritePlan } from '@sluice/types';

/**
 * A failure in which the keys of the provider's fields stand behind the names that the caller used: `tier (d4de…)`. Only keys that are no words
 * (`cf_tier`, 40 hexadecimal digits): a word may be one of the provider's sentence.
 */
export function inCallersNames(result: RecordResult, { notes = [] }: Pick<WritePlan, 'notes'>): RecordResult {
  if (result.ok) return result;
  let { message } = result.error;
  for (const { field, providerField = field, sent } of notes) {
    const key = String(fieldSteps(providerField).at(-1));
    if (!sent || key === field || /^[a-z]*$/i.test(key)) continue;
    const whole = new RegExp(`(?<![\\w$])${key.replace(/[^\w]/g, '\\$&')}(?!\\w)`, 'g');
    message = message.replace(whole, (found) => `${field} (${found})`);
  }
  return message === result.error.message ? result : { ok: false, error: { ...result.error, message } };
}
