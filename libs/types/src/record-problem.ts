import { openObject, text } from './json-schema';
import type { JsonValue } from './write-request';

/**
 * One reason for which a record was not written, as a form can show it beside the field. A provider that gives no structure gives one problem without
 * a field, with its whole text. Our addition to the published API; see rulings.
 */
export interface RecordProblem {
  /** The field as the request names it; the provider's name where the request did not have it. Absent: the provider names no field. */
  readonly field?: string;
  readonly providerField?: string;
  /** The provider's own code: `INVALID_EMAIL`, `STRING_TOO_LONG`. Absent: it gives none. */
  readonly code?: string;
  /** The provider's sentence, of a field at most 300 bytes. */
  readonly message: string;
  /** What was sent for the field, after defaults and mappings; in the reply to a synchronous write only, up to 1,000 characters of JSON. */
  readonly value?: JsonValue;
}

/** Why a record was not written, as one line: field by field where the provider names them, else its whole text. */
export function reasonOf(error: { readonly message: string }, problems: readonly RecordProblem[] = []): string {
  const ofFields = problems.filter(({ field }) => field !== undefined);
  if (ofFields.length === 0) return error.message;
  return ofFields
    .map(({ field, message, code }) => `${field}: ${message}${code === undefined ? '' : ` (${code})`}`)
    .join('; ');
}

export const recordProblemSchema = openObject('A reason for which a record was not written.', ['message'], {
  field: text('The field as the request names it; absent when the provider names none.', 'email'),
  providerField: text("The provider's name of the field.", 'email'),
  code: text("The provider's code of the problem.", 'INVALID_EMAIL'),
  message: text("The provider's sentence.", 'Email address ann at example is invalid'),
  value: {
    description: 'The value that was sent; in the reply to a synchronous write only.',
    examples: ['ann at example'],
  },
});
