/**
 * How a provider tells the names of its fields apart. `case-insensitive`: `phone` is `Phone`. Data of a connector; names that
 * a builder maps to fields are the builder's own and compare exactly at every provider.
 */
export type FieldNameForm = 'exact' | 'case-insensitive';

/** A provider's field name in the form in which all spellings of one field are equal. Not a name to send. */
export function normalFieldName(name: string, form: FieldNameForm): string {
  return form === 'exact' ? name : name.toLowerCase();
}
