import type { BatchRead } from '../requests';
import type { ProviderRecord } from '../results';
import { toProviderError } from '../thrown-failure';
import { assertBatchSize } from './batch-limit';
import type { SalesforceApi } from './call-salesforce';
import { rejected, type Describe } from './describe';
import { toProviderRecord } from './provider-record';
import { query } from './query';
import { resolveField } from './resolve-field';
import { sameValue } from './same-value';
import { toLiteral } from './soql-literal';

type Read = BatchRead & { readonly property: NonNullable<BatchRead['byProperty']> };

/**
 * By the values of one field, which the caller knows to be unique: with several records for a value the first is given.
 * @throws ProviderError; `rejected` names the field
 */
export async function readByProperty(
  api: SalesforceApi,
  describe: Describe,
  read: Read,
): Promise<(ProviderRecord | undefined)[]> {
  const { name, values } = read.property;
  assertBatchSize(values.length);
  if (values.length === 0) return [];
  const { path, field } = await resolveField(describe, read, name);
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
    const message = `Salesforce read only a part of the records: ${records.length}, and says that there are more`;
    throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'salesforce');
  }
  return found;
}
