import type { ProviderFailure } from '../results';
import type { Declaration, DeclaredObject } from './declaration';
import { textsOf } from './template';

/** Where texts of a file stand, with the names that the place itself has. */
interface Place {
  readonly steps: readonly (string | number)[];
  readonly texts: readonly string[];
  readonly own: readonly string[];
}

/** Every place of a file whose texts are filled for an object. */
export function placesOf(file: Declaration): Place[] {
  const { create, update, search, fields } = file;
  const places: Place[] = [];
  const add = (steps: Place['steps'], texts: readonly string[], ...own: string[]) => places.push({ steps, texts, own });
  for (const [name, write, own] of [
    ['create', create, []],
    ['update', update, ['id']],
  ] as const) {
    add([name, 'path'], [write.path], ...own);
    add([name, 'body'], textsOf(write.body), ...own);
    add([name, 'reply'], [write.reply.id, write.reply.record ?? '']);
  }
  if (search) {
    const { filter } = search;
    const isSingle = isSingleFilter(search.filter);
    const own = ['limit', ...(filter.text === undefined ? [] : ['filters']), ...(isSingle ? ['field', 'value'] : [])];
    add(['search', 'path'], [search.path]);
    add(['search', 'query'], Object.values(search.query ?? {}), ...own);
    add(['search', 'body'], textsOf(search.body), ...own);
    add(['search', 'rows'], [search.rows]);
    add(['search', 'filter'], [filter.parameter ?? '', filter.text ?? '', ...textsOf(filter.json)], 'field', 'value');
  }
  if (fields) {
    add(['fields', 'path'], [fields.path]);
    add(['fields', 'query'], Object.values(fields.query ?? {}));
    add(['fields', 'list'], [fields.list]);
  }
  return places;
}

/** No list of filters: the one there may be stands in the query or the body itself. */
export function isSingleFilter({ parameter, text, json }: NonNullable<Declaration['search']>['filter']): boolean {
  return parameter === undefined && text === undefined && json === undefined;
}

/** The texts that stand for names in requests about one object. */
function wordsOf(objectName: string, object: DeclaredObject): Readonly<Record<string, string>> {
  return { ...object.words, object: objectName };
}

/** An object that the file describes. */
export interface FoundObject {
  readonly name: string;
  readonly object: DeclaredObject;
  /** What stands for names in its requests. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The object of a call; a failure names those there are. Names are compared as they are spelled. */
export function findObject({ objects, displayName }: Declaration, name: string): FoundObject | ProviderFailure {
  const key = name !== '*' && Object.hasOwn(objects, name) ? name : '*';
  const object = Object.hasOwn(objects, key) && name !== '*' ? objects[key] : undefined;
  if (object !== undefined) return { name, object, texts: wordsOf(name, object) };
  const known = Object.keys(objects).join(', ');
  const message = `${displayName} has no object '${name.slice(0, 80)}' here; known are ${known}`;
  return { class: 'rejected', scope: 'call', message };
}
