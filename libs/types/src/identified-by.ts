import { openObject, text } from './json-schema';
import type { RecordProblem } from './record-problem';
import type { WritePlan } from './write-plan';

/**
 * A field by which people know a record that has neither a ref nor an id at the provider: the email of a contact that was refused. In replies to who may
 * read the operation only: never in webhooks, logs, spans and metrics. Our addition to the published API; see rulings.
 */
export interface IdentifiedBy {
  /** As the request names it; `id` of a record that was to be updated or deleted. */
  readonly field: string;
  /** What was accepted, after defaults and mappings; at most 200 characters, a longer one ends with `…`. */
  readonly value: string;
}

const valueMax = 200;

/**
 * What identifies a record by its plan: its id, else the first of these fields with a text or a number in it, else such a field that a problem names.
 * @param names fields of the provider, the most distinctive first
 */
export function identifiedBy(
  { recordId, fields, notes = [] }: Pick<WritePlan, 'recordId' | 'fields' | 'notes'>,
  names: readonly string[],
  problems: readonly RecordProblem[] = [],
): IdentifiedBy | undefined {
  if (recordId !== undefined) return { field: 'id', value: shortened(recordId) };
  for (const name of [...names, ...problems.flatMap(({ providerField }) => providerField ?? [])]) {
    const sent = Object.keys(fields).find((each) => each.toLowerCase() === name.toLowerCase());
    const value = sent === undefined ? undefined : fields[sent];
    const shown = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (shown === '') continue;
    const note = notes.find(({ providerField, sent: isSent }) => isSent && providerField === sent);
    return { field: note?.field ?? sent ?? name, value: shortened(shown) };
  }
  return undefined;
}

/** Not in the middle of a surrogate pair. */
function shortened(value: string): string {
  return value.length <= valueMax ? value : `${value.slice(0, valueMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** By what its caller knows the record: its ref, the provider's id, or the value of the field that identifies it. Undefined: by its index alone. */
export function nameOfRecord(record: {
  readonly ref?: string;
  readonly recordId?: string;
  readonly identifiedBy?: IdentifiedBy;
}): string | undefined {
  const { ref, recordId, identifiedBy: by } = record;
  if (ref !== undefined) return `ref ${ref}`;
  return recordId ?? (by && `${by.field} ${by.value}`);
}

export const identifiedBySchema = openObject(
  'A field by which people know a record that has neither ref nor recordId.',
  ['field', 'value'],
  {
    field: text('The field as the request names it; id of a record to be updated or deleted.', 'email'),
    value: text('What was accepted, at most 200 characters; a longer one ends with an ellipsis.', 'ann@example.com'),
  },
);
