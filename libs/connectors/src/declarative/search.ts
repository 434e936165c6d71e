import { fieldSteps } from '@sluice/types';
import { toProviderError } from '../provider-call';
import type { SearchRequest } from '../requests';
import type { ProviderFailure, ProviderRecord, RecordPage } from '../results';
import { callProvider, type DeclaredApi, type DeclaredRequest } from './call-provider';
import { filterName, withCustom } from './custom-fields';
import type { CustomFields, DeclaredSearch } from './declaration';
import { sameValue } from './same-value';
import {
  type FoundObject,
  fillBody,
  fillText,
  findObject,
  idAt,
  isFieldName,
  recordAt,
  textAt,
  toLiteral,
  valueAt,
} from './template';

/** A page of records, or why there is none. */
export type Page = ({ readonly ok: true } & RecordPage) | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * One page of the records that equal every filter.
 * @throws ProviderError; `rejected` names the field
 */
export async function search(api: DeclaredApi, declared: DeclaredSearch, request: SearchRequest): Promise<RecordPage> {
  const page = await readPage(api, declared, request, 'search');
  if (!page.ok) throw toProviderError(page.failure, api.file.name);
  return { records: page.records, hasMore: page.hasMore };
}

/** The same, with a failure as data. A row without an id makes the whole page unusable. */
export async function readPage(
  api: DeclaredApi,
  declared: DeclaredSearch,
  request: SearchRequest,
  operation: DeclaredRequest['operation'],
): Promise<Page> {
  const found = findObject(api.file, request.objectName);
  if ('class' in found) return { ok: false, failure: found };
  const parts = searchParts(declared, found, request);
  if (typeof parts === 'string') return { ok: false, failure: { class: 'rejected', scope: 'call', message: parts } };
  const { method, path, success, empty } = declared;
  const asked = { operation, method, path, texts: found.texts, ...parts, success, mayBeEmpty: empty };
  const answer = await callProvider(api, asked, request);
  if (!answer.ok) return answer;
  const records = answer.body === undefined ? [] : toRecords(declared, found, answer.body);
  if (records === undefined) return { ok: false, failure: answer.lacking() };
  const equal = declared.exact ? records.filter((record) => isEqual(record, request.filters)) : records;
  const hasMore =
    equal.length > request.limit || isCut(declared, answer.body, records.length >= pageSizeOf(declared, request));
  return { ok: true, records: equal.slice(0, request.limit), hasMore };
}

/** Rows that a search asks for. What is only alike is left out afterwards, so a page of the caller's size could hold nothing else. */
function pageSizeOf({ exact, pageMax }: DeclaredSearch, { limit }: Pick<SearchRequest, 'limit'>): number {
  return exact ? pageMax : Math.max(1, Math.min(limit, pageMax));
}

/** Whether the provider has rows after these: as its reply says, else as a full page suggests. */
function isCut({ next }: DeclaredSearch, body: unknown, isFull: boolean): boolean {
  return next === undefined ? isFull : Boolean(valueAt(body, next));
}

function toRecords(
  declared: DeclaredSearch,
  { texts, object }: FoundObject,
  body: unknown,
): ProviderRecord[] | undefined {
  const rows = valueAt(body, fillText(declared.rows, texts));
  if (!Array.isArray(rows)) return undefined;
  const records = rows.map((row: unknown) => toRecord(declared, object.custom, row));
  return records.every((record) => record !== undefined) ? records : undefined;
}

function toRecord(
  { row: at = '', id, fields = '', created }: DeclaredSearch,
  custom: CustomFields | undefined,
  row: unknown,
): ProviderRecord | undefined {
  const raw = recordAt(row, at);
  const recordId = idAt(raw, id);
  if (raw === undefined || recordId === undefined) return undefined;
  const createdAt = created === undefined ? Number.NaN : Date.parse(textAt(raw, created) ?? '');
  return {
    id: recordId,
    fields: withCustom(custom, recordAt(raw, fields) ?? {}),
    raw,
    ...(!Number.isNaN(createdAt) && { createdAt: new Date(createdAt) }),
  };
}

/** A field that the record does not show counts as equal; one item of a list may be the value. */
function isEqual({ fields }: ProviderRecord, filters: SearchRequest['filters']): boolean {
  return filters.every(({ field, value }) => {
    const shown =
      valueAt(fields, `/${field.replaceAll('.', '/')}`) ?? (Object.hasOwn(fields, field) ? fields[field] : undefined);
    if (shown === undefined) return true;
    return Array.isArray(shown) ? shown.some((item) => sameValue(item, value)) : sameValue(shown, value);
  });
}

type Filter = SearchRequest['filters'][number];

/** A page's query and body. */
interface SearchParts {
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
}

/** Filters of a request where a file names no other number (specification's limit of a search). */
const filtersMax = 20;

/** What a search is sent as; a text: why it cannot be, with the field's name. */
export function searchParts(
  declared: DeclaredSearch,
  { object, texts, name }: FoundObject,
  request: Pick<SearchRequest, 'filters' | 'fields' | 'limit'>,
): SearchParts | string {
  const { filter } = declared;
  const fault = filtersFault(declared, object, name, request.filters);
  if (fault !== undefined) return fault;
  const limit = pageSizeOf(declared, request);
  const filters = request.filters.map((one) => ({ ...one, field: object.searchNames?.[one.field] ?? one.field }));
  const parts: string[] = [];
  for (const one of filters) {
    const part = textOf(declared, { texts, custom: object.custom }, one);
    if (part === undefined) return `a filter on ${one.field} has a character that no search there can hold`;
    parts.push(part);
  }
  const [only] = filters;
  const filled = {
    ...texts,
    limit: String(limit),
    filters: parts.join(filter.join ?? ''),
    ...(only && { field: only.field, value: String(only.value) }),
  };
  const query = Object.entries({ ...declared.query, ...object.query }).map(
    ([key, value]) => [key, fillText(value, filled)] as const,
  );
  const asked = parameters(declared, texts, filters);
  const doubled = asked.findIndex(([key]) => query.some(([own]) => own === key));
  if (doubled >= 0)
    return `${name} cannot be searched by ${filters[doubled]?.field}: the provider's file sends it itself`;
  return {
    query: [...query, ...asked],
    ...(declared.body !== undefined && {
      body: fillBody(declared.body, {
        texts: filled,
        wholes: {
          limit,
          filters: filters.map((one) => jsonOf(declared, { texts, custom: object.custom }, one)),
          names: namesOf(declared, request.fields),
        },
      }),
    }),
  };
}

function filtersFault(
  { filter }: DeclaredSearch,
  { searchable, custom }: FoundObject['object'],
  objectName: string,
  filters: readonly Filter[],
): string | undefined {
  const max = filter.max ?? filtersMax;
  if (filters.length > max) return `a search of ${objectName} takes ${max === 1 ? 'one filter' : `${max} filters`}`;
  if (filters.length === 0 && (filter.text !== undefined || max === 1))
    return `a search of ${objectName} needs a filter`;
  const apart = filters.find(({ field }) => custom?.filter === undefined && filterName(custom, field) !== undefined);
  if (apart !== undefined) return `${objectName} cannot be searched by ${apart.field}, which is a custom field`;
  const strange = filters.find(
    ({ field }) =>
      (!isFieldName(field) && filterName(custom, field) === undefined) || (searchable && !searchable.includes(field)),
  );
  if (strange === undefined) return undefined;
  const field = strange.field.slice(0, 100);
  if (fieldSteps(strange.field).length > 1)
    return `${objectName} cannot be searched by ${field}, which is inside an object`;
  return searchable
    ? `${objectName} cannot be searched by ${field}, only by ${searchable.join(', ')}`
    : `${field} cannot be the name of a field`;
}

/** What is read is shown under its own name, so the id and the moment of creation come along. */
function namesOf({ id, created = '' }: DeclaredSearch, fields: readonly string[]): string[] {
  const own = [id, created].flatMap((pointer) => pointer.split('/').slice(1, 2));
  return [...new Set([...own, ...fields.flatMap((name) => fieldSteps(name).slice(0, 1))])];
}

type Texts = Readonly<Record<string, string>>;

function named(texts: Texts, { field, value }: Filter): Texts {
  return { ...texts, field, value: String(value) };
}

/** What the texts of a filter are filled with, and where the object keeps custom fields. */
interface FilterTexts {
  readonly texts: Texts;
  readonly custom: CustomFields | undefined;
}

function textOf({ filter }: DeclaredSearch, { texts, custom }: FilterTexts, one: Filter): string | undefined {
  if (filter.text === undefined) return '';
  const value = toLiteral(String(one.value), filter);
  const field = filterName(custom, one.field);
  const text = field !== undefined && typeof custom?.filter === 'string' ? custom.filter : filter.text;
  return value === undefined ? undefined : fillText(text, { ...named(texts, one), ...(field && { field }), value });
}

function parameters({ filter }: DeclaredSearch, texts: Texts, filters: readonly Filter[]) {
  const { parameter } = filter;
  if (parameter === undefined) return [];
  return filters.map((one) => [fillText(parameter, named(texts, one)), String(one.value)] as const);
}

function jsonOf({ filter }: DeclaredSearch, { texts, custom }: FilterTexts, one: Filter): unknown {
  const field = filterName(custom, one.field);
  const json = (field === undefined ? filter.json : custom?.filter) ?? null;
  return fillBody(json, { texts: { ...named(texts, one), ...(field && { field }) }, wholes: { value: one.value } });
}
