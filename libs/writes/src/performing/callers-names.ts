import type { RecordResult } from '@sluice/connectors';
import { fieldSteps, type WritePlan } from '@sluice/types';

/** Where a text names fields: before a colon, in quotes. The name of a JSON member, which a colon follows, is none. */
const beforeColon = /(?<=^|; )[^:;"'`]{1,100}(?=: )/g;
const inQuotes = /(?<=(?<!\w)(["'`]))[^"'`\s]{1,100}(?=\1(?!\s*:))/g;
const inList = /\(fields: [^()]*\)/g;

/**
 * A failure in which the keys of the provider's fields stand behind the names that the caller used: `tier (d4de…)`. Only keys that are no words are
 * replaced anywhere (`cf_tier`, 40 hexadecimal digits). A word may belong to the provider's sentence, so it is replaced only where the text names a
 * field.
 */
export function inCallersNames(result: RecordResult, { notes = [] }: Pick<WritePlan, 'notes'>): RecordResult {
  if (result.ok) return result;
  let { message } = result.error;
  const words = new Map<string, string>();
  for (const { field, providerField = field, sent } of notes) {
    const key = String(fieldSteps(providerField).at(-1));
    if (!sent || key === field) continue;
    if (/^[a-z]*$/i.test(key)) {
      words.set(key, field);
      continue;
    }
    const whole = new RegExp(`(?<![\\w$])${key.replace(/[^\w]/g, '\\$&')}(?!\\w)`, 'g');
    message = message.replace(whole, (found) => `${field} (${found})`);
  }
  if (words.size > 0) {
    const callers = (name: string) => words.get(name) ?? name;
    message = message.replace(beforeColon, callers).replace(inQuotes, callers);
    message = message.replace(inList, (list) => list.replace(/[^,()\s]+/g, callers));
  }
  return message === result.error.message ? result : { ok: false, error: { ...result.error, message } };
}
