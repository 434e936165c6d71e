import type { SearchRequest } from '../requests';
import type { ProviderFailure, ProviderRecord } from '../results';
import { toProviderError } from '../signals';
import type { DeclaredApi, DeclaredRequest } from './call-provider';
import type { DeclaredSearch } from './declaration';
import { findObject, type FoundObject } from './known-names';
import { idAt, recordAt, textAt, valueAt, fillText } from './template';
import { sameValue } from './same-value';
import { searchParts } from './search-request';

/** A page of records, or why there is none. */
export type Page =
  | { readonly ok: true; readonly records: readonly ProviderRecord[] }
  | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * One page of the records that equal every filter.
 * @throws ProviderError; `rejected` names the field
 */
export async function search(
  api: DeclaredApi,
  declared: DeclaredSearch,
  request: SearchRequest,
): Promise<ProviderRecord[]> {
  const page = await readPage(api, declared, request, 'search');
  if (!page.ok) throw toProviderError(page.failure, api.file.name);
  return [...page.records];
}

/** The same, with a failure as data. A row that tells no id makes the page one that cannot be believed. */
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
  const answer = await api.call(asked, request);
  if (!answer.ok) return answer;
  const records = answer.body === undefined ? [] : toRecords(declared, found, answer.body);
  if (records === undefined) return { ok: false, failure: answer.lacking() };
  const equal = declared.exact ? records.filter((record) => isEqual(record, request.filters)) : records;
  return { ok: true, records: equal.slice(0, request.limit) };
}

function toRecords(declared: DeclaredSearch, { texts }: FoundObject, body: unknown): ProviderRecord[] | undefined {
  const rows = valueAt(body, fillText(declared.rows, texts));
  if (!Array.isArray(rows)) return undefined;
  const records = rows.map((row: unknown) => toRecord(declared, row));
  return records.every((record) => record !== undefined) ? records : undefined;
}

function toRecord(
  { row: at = '', id, fields = '', created }: DeclaredSearch,
  row: unknown,
): ProviderRecord | undefined {
  const raw = recordAt(row, at);
  const recordId = idAt(raw, id);
  if (raw === undefined || recordId === undefined) return undefined;
  const createdAt = created === undefined ? Number.NaN : Date.parse(textAt(raw, created) ?? '');
  return {
    id: recordId,
    fields: recordAt(raw, fields) ?? {},
    raw,
    ...(!Number.isNaN(createdAt) && { createdAt: new Date(createdAt) }),
  };
}

/** A field that the record does not show says nothing; one of a list may be the value. */
function isEqual({ fields }: ProviderRecord, filters: SearchRequest['filters']): boolean {
  return filters.every(({ field, value }) => {
    const shown =
      valueAt(fields, `/${field.replaceAll('.', '/')}`) ?? (Object.hasOwn(fields, field) ? fields[field] : undefined);
    if (shown === undefined) return true;
    return Array.isArray(shown) ? shown.some((item) => sameValue(item, value)) : sameValue(shown, value);
  });
}
