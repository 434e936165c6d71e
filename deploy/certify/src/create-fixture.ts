import type { Declaration, Fields } from '@sluice/connectors';
import type { Fixture } from '@sluice/connectors/conformance';

/** What the command line states about a provider whose file came from outside, where the file does not. */
export interface FixtureWords {
  readonly object?: string;
  /** Field that takes the mark. */
  readonly mark?: string;
  /** Field that takes a text. */
  readonly text?: string;
  readonly absentId?: string;
  /** Fields that a record needs besides, `name=value`. */
  readonly with?: readonly string[];
}

/** What is written at a provider of a file. @returns why it is unknown, as a sentence */
export function createFixture(file: Declaration, words: FixtureWords): Fixture | string {
  const { absentId } = words;
  const objectName = words.object ?? Object.keys(file.objects).find((name) => name !== '*');
  const object = objectName === undefined ? undefined : (file.objects[objectName] ?? file.objects['*']);
  if (objectName === undefined || !object) {
    const known = Object.keys(file.objects).join(', ');
    return `--object: must be an object of ${file.name}: ${known}.`;
  }
  const strings = (object.fields ?? []).filter(({ type, readOnly }) => type === 'string' && readOnly !== true);
  const isSearchable = (name: string) => object.searchable?.includes(name) ?? true;
  const markField = words.mark ?? object.unique ?? strings.find(({ name }) => isSearchable(name))?.name;
  const textField = words.text ?? strings.find(({ name }) => name !== markField)?.name;
  if (markField === undefined) return `--mark: name the text field of ${objectName} that takes the mark.`;
  if (textField === undefined || textField === markField) {
    return `--text: name a text field of ${objectName} that can be changed, other than ${markField}.`;
  }
  if (absentId === undefined) return `--absent-id: name an id that no record of ${objectName} has.`;
  const more = othersOf(words.with ?? []);
  if (typeof more === 'string') return more;
  const isUnique = object.unique === markField;
  return {
    objectName,
    markField,
    textField,
    absentId,
    fields: (seed) => ({ ...more, [markField]: valueOf(markField, seed), [textField]: 'Certification' }),
    ...(isUnique && { uniqueField: markField }),
    ...(object.fields && { describesFromFile: true }),
    access: accessOf(file),
  };
}

/** An address where one is wanted. Source: RFC 2606, 3. */
function valueOf(field: string, mark: string): string {
  return /e-?mail/i.test(field) ? `${mark}@example.com` : mark;
}

function othersOf(pairs: readonly string[]): Fields | string {
  const wrong = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (wrong !== undefined) return `--with: must be name=value, not '${wrong}'.`;
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

export function accessOf({ auth }: Declaration): NonNullable<Fixture['access']> {
  if (auth.apiKey) return 'apiKey';
  if (auth.basic === true) return 'basic';
  return auth.oauth2 ? 'oauth2' : 'none';
}
