import { isJson } from '../http-client';
import { assertBatchSize, toProviderError, unreadable } from '../provider-call';
import type { BatchRead } from '../requests';
import type { ProviderRecord } from '../results';
import { batchRecordsMax, salesforce, type SalesforceApi } from './call-salesforce';
import { rejected, resolveField } from './describe';
import { query, toLiteral } from './soql';
import { sameValue } from './values';
import { idKey, isObjectName, isRecordId, objectRule, paths, toProviderRecord } from './wire';

/**
 * `POST /composite/sobjects/{object}` with the ids, or a query by a unique field. A record that the user may not see is
 * absent too. One unknown field is refused for all, and named. Source: reference B3.
 * @throws ProviderError
 */
export async function batchRead(api: SalesforceApi, read: BatchRead): Promise<(ProviderRecord | undefined)[]> {
  if (!isObjectName(read.objectName)) throw rejected(objectRule(read.objectName));
  if (read.byProperty) return await readByProperty(api, read);
  assertBatchSize(salesforce, batchRecordsMax, read.ids.length);
  // No record has an id of another form, and asking for it would fail the other records.
  const unique = new Map(read.ids.filter(isRecordId).map((id) => [idKey(id), id]));
  const found = unique.size === 0 ? new Map<string, ProviderRecord>() : await retrieve(api, read, [...unique.values()]);
  return read.ids.map((id) => found.get(idKey(id)));
}

async function retrieve(
  api: SalesforceApi,
  read: BatchRead,
  ids: readonly string[],
): Promise<Map<string, ProviderRecord>> {
  const named = read.fields.filter((name) => name.toLowerCase() !== 'id');
  const answer = await api.call(
    {
      operation: 'batch-read',
      method: 'POST',
      path: paths.retrieve(read.objectName),
      body: { ids, fields: ['Id', ...named] },
    },
    read,
  );
  if (!answer.ok) throw toProviderError(answer.failure, 'salesforce');
  const items: unknown[] = Array.isArray(answer.body) ? answer.body : [];
  const records = items.flatMap((item) => (isJson(item) ? (toProviderRecord(item, read.fields) ?? []) : []));
  const found = new Map(records.map((record) => [idKey(record.id), record]));
  const accounted = ids.filter((id) => found.has(idKey(id))).length + items.filter((item) => item === null).length;
  // Absence decides a write, so a reply that leaves a record out, or has another instead, must not count as absence.
  if (accounted !== ids.length) {
    throw unreadable('salesforce', `Salesforce read only a part of the records: ${accounted} of ${ids.length}`);
  }
  return found;
}

/**
 * By the values of one field, which the caller knows to be unique: with several records for a value the first is given.
 * @throws ProviderError; `rejected` names the field
 */
export async function readByProperty(
  api: SalesforceApi,
  read: Extract<BatchRead, { readonly byProperty: object }>,
): Promise<(ProviderRecord | undefined)[]> {
  const { name, values } = read.byProperty;
  assertBatchSize(salesforce, batchRecordsMax, values.length);
  if (values.length === 0) return [];
  const { path, field } = await resolveField(api, read, name);
  const literals = values.map((value) => {
    const literal = toLiteral(field.type, value);
    if (literal.ok) return literal.text;
    throw rejected(`the value of '${path}' must be ${literal.rule}, not '${value.slice(0, 80)}'`);
  });
  const asked = [...new Set([...read.fields, path])];
  const where = [{ field: path, operator: 'IN' as const, literals: [...new Set(literals)] }];
  const queried = await query(api, { objectName: read.objectName, fields: asked, where, limit: 2_000 }, read);
  if (!queried.ok) throw toProviderError(queried.failure, 'salesforce');
  const { records: rows, isWhole } = queried.page;
  const records = rows.flatMap((record) => toProviderRecord(record, asked) ?? []);
  const found = values.map((value) => records.find(({ fields }) => sameValue(field, value, fields[path])));
  if (found.includes(undefined) && !(isWhole && records.length === rows.length)) {
    throw unreadable(
      'salesforce',
      `Salesforce read only a part of the records: ${records.length}, and reports that there are more`,
    );
  }
  return found;
}
