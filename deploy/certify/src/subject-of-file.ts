import type { Auth, Declaration, Fields } from '@sluice/connectors';
import { texts, type Subject } from './subjects';

/** What a person says of a provider whose file came from outside, as far as the file does not say it. Kept in the recording. */
export interface SubjectWords {
  readonly object?: string;
  /** Field that takes the mark. */
  readonly mark?: string;
  /** Field that takes a text. */
  readonly text?: string;
  readonly absentId?: string;
  /** Fields that a record needs besides, `name=value`. */
  readonly with?: readonly string[];
}

/** The object that is written at a provider of a file. @returns why it cannot be told, as a sentence */
export function subjectOfFile(file: Declaration, words: SubjectWords): Subject | string {
  const objectName = words.object ?? Object.keys(file.objects).find((name) => name !== '*');
  const object = objectName === undefined ? undefined : (file.objects[objectName] ?? file.objects['*']);
  if (objectName === undefined || !object) {
    const known = Object.keys(file.objects).join(', ');
    return `--object: must be an object of ${file.name}: ${known}.`;
  }
  const strings = (object.fields ?? []).filter(({ type, readOnly }) => type === 'string' && readOnly !== true);
  const markField = words.mark ?? object.unique ?? strings.find(({ name }) => isSearchable(object, name))?.name;
  const textField = words.text ?? strings.find(({ name }) => name !== markField)?.name;
  if (markField === undefined) return `--mark: name the text field of ${objectName} that takes the mark.`;
  if (textField === undefined || textField === markField) {
    return `--text: name a text field of ${objectName} that can be changed, other than ${markField}.`;
  }
  const more = othersOf(words.with ?? []);
  if (typeof more === 'string') return more;
  return {
    objectName,
    markField,
    textField,
    fields: (mark) => ({ ...more, [markField]: valueOf(markField, mark), [textField]: texts.made }),
    ...(object.unique === markField && { uniqueField: markField }),
    ...(words.absentId !== undefined && { absentId: words.absentId }),
    access: accessOf(file),
  };
}

type DeclaredObject = Declaration['objects'][string];

function isSearchable({ searchable }: DeclaredObject, name: string): boolean {
  return searchable?.includes(name) ?? true;
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

function accessOf({ auth }: Declaration): NonNullable<Auth['kind']> {
  if (auth.apiKey) return 'apiKey';
  if (auth.basic === true) return 'basic';
  return auth.oauth2 ? 'oauth2' : 'none';
}
