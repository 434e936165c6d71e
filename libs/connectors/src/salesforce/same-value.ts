import { type FieldDescription, dateOf, idKey } from './wire';

type Typed = Pick<FieldDescription, 'type' | 'scale'>;

/**
 * Whether Salesforce holds the value that was sent, in the form in which it keeps values. Texts are trimmed, moments have no milliseconds, numbers
 * are rounded to the field's scale. Ids have 18 characters, selections have no order. Case is passed over, because its own comparison does. Source:
 * reference B4, B5, B8.
 */
export function sameValue(field: Typed, sent: unknown, stored: unknown): boolean {
  if (isEmpty(sent) || isEmpty(stored)) return isEmpty(sent) && isEmpty(stored);
  switch (field.type) {
    case 'int':
    case 'double':
    case 'currency':
    case 'percent':
      return sameNumber(Number(sent), Number(stored), field.scale);
    case 'datetime':
      return seconds(sent) === seconds(stored);
    case 'date':
      return textOf(sent).slice(0, 10) === textOf(stored).slice(0, 10);
    case 'id':
    case 'reference':
      return idKey(textOf(sent)) === idKey(textOf(stored));
    case 'phone':
      return digits(sent) === digits(stored);
    case 'multipicklist':
      return selection(sent) === selection(stored);
    default:
      return plain(sent) === plain(stored);
  }
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Any value as text, in one form: trimmed, in lower case, with one kind of blank. */
export function plain(value: unknown): string {
  return textOf(value).trim().toLowerCase().replace(/\s+/g, ' ');
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(';');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Half of the last digit that is kept; a part in 10^12 where the scale is not known. */
function sameNumber(one: number, other: number, scale: number | undefined): boolean {
  const tolerance = scale === undefined ? Math.abs(one) * 1e-12 : 0.5 * 10 ** -scale;
  return Math.abs(one - other) <= tolerance;
}

function seconds(value: unknown): number {
  const date = dateOf(textOf(value));
  return date ? Math.floor(+date / 1_000) : Number.NaN;
}

/** A phone number is shown in another form than it was sent; one without digits is a text. */
function digits(value: unknown): string {
  return textOf(value).replace(/\D/g, '') || plain(value);
}

function selection(value: unknown): string {
  return plain(value)
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean)
    .sort()
    .join(';');
}
