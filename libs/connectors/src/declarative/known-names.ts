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
export function wordsOf(objectName: string, object: DeclaredObject): Readonly<Record<string, string>> {
  return { ...object.words, object: objectName };
}
