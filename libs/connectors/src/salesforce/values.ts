import { joinList, withMemberAt } from '@sluice/types';
import type { Fields } from '../requests';
import { toLiteral } from './soql';
import { dateOf, type Description, type FieldDescription, idKey } from './wire';

/** A value that a create sent, with the field it went to. */
export interface SentValue {
  readonly field: FieldDescription;
  readonly value: unknown;
  /** Present when the field and the value are allowed in a WHERE and will be found there as they were sent. */
  readonly literal?: string;
}

/** More are not compared: the list of names has to fit into a URL. */
const comparedMax = 100;
/** Longer texts are descriptions. Source: Salesforce's text fields hold 255. */
const textMax = 255;

/** Texts that distinguish records best, best first. */
const distinctive = ['email', 'name', 'lastname', 'company', 'subject', 'firstname', 'title', 'phone', 'website'];
/** A record that has one of these, and was not sent it, is another one, or was changed since. [own] */
const ofAPerson = ['email', 'lastname', 'firstname', 'company'];
/** Kept as they are sent: whole texts, choices, ids and days. Fractions are rounded and moments cut. */
const exactTypes = new Set(['string', 'email', 'url', 'picklist', 'combobox', 'int', 'date', 'id', 'reference']);
/** Not given back as sent, or not given back at all. */
const unreadable = new Set(['encryptedstring', 'base64', 'address', 'location', 'anyType', 'complexvalue']);

/**
 * What was sent and can be compared again, the most telling first: unique fields, external ids, then names and the
 * rest. A field that the description lacks, such as one of a related record, is passed over. What identifies a person and was
 * not sent comes last, as empty.
 */
export function sentValues({ fields }: Description, sent: Fields): SentValue[] {
  const values = Object.entries(sent).flatMap(([name, value]) => {
    const field = fields.get(name.toLowerCase());
    return field && !unreadable.has(field.type) && !field.isMarkup ? [toSentValue(field, value)] : [];
  });
  const names = new Set(Object.keys(sent).map((name) => name.toLowerCase()));
  const unsent = ofAPerson.flatMap((name): SentValue[] => {
    const field = names.has(name) ? undefined : fields.get(name);
    return field && !field.isReadOnly ? [{ field, value: null }] : [];
  });
  return [...values.sort((one, other) => rank(one) - rank(other)), ...unsent].slice(0, comparedMax);
}

function toSentValue(field: FieldDescription, value: unknown): SentValue {
  const isExact = field.isFilterable && exactTypes.has(field.type) && !isEmpty(value) && typeof value !== 'object';
  const text = typeof value === 'string' ? value.trim() : value;
  if (!isExact || text === '' || String(text).length > textMax) return { field, value };
  const literal = toLiteral(field.type, text);
  return { field, value, ...(literal.ok && { literal: literal.text }) };
}

function rank({ field, literal }: SentValue): number {
  if (literal === undefined) return 100;
  if (field.isUnique) return 0;
  if (field.isExternalId) return 1;
  const at = distinctive.indexOf(field.name.toLowerCase());
  return at < 0 ? 50 : 10 + at;
}

/** Between the choices of a multi-select picklist. Source: reference B3. */
export const listSeparator = ';';

/**
 * Names, in lower case, that no record sets: `attributes` names the object of a record, which only we set, and an update
 * that carries its id is refused. Source: reference B2, B3.
 */
export const reserved = { create: ['attributes'], update: ['attributes', 'id'] } as const;

/**
 * Values as Salesforce takes them: as given, `null` empties a field, a list becomes one text unless that would change its items. Reserved names are
 * always left out, under any spelling.
 */
export function toSent(fields: Fields, write: 'create' | 'update'): Record<string, unknown> {
  const names: readonly string[] = reserved[write];
  const set = Object.entries(fields).filter(([name]) => !names.includes(name.toLowerCase()));
  const sent = set.map(
    ([name, value]) => [name, Array.isArray(value) ? joinList(value, listSeparator) : value] as const,
  );
  const related = sent.filter(([name]) => name.includes('.'));
  if (related.length === 0) return Object.fromEntries(sent);
  // A related record is named by an object with its external id. Source: Salesforce REST API, "Upsert relationships by external ID".
  const own: Fields = Object.fromEntries(sent.filter((each) => !related.includes(each)));
  return related.reduce((all, [name, value]) => withMemberAt(all, name.split('.'), value) ?? all, own);
}

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
