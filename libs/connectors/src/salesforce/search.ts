import { toProviderError } from '../provider-call';
import type { SearchRequest } from '../requests';
import type { RecordPage } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { describe, rejected, resolveField } from './describe';
import { type Condition, pathBytes, pathBytesMax, query, type Selection, toLiteral } from './soql';
import { toProviderRecord } from './wire';

/** Records of one query with `FIELDS(ALL)`; others take 2,000. Source: reference B4. */
const queryMax = 200;

/** Records of one page. One more is asked for: a query with a LIMIT states no other total than what it returns. */
export const searchPageMax = queryMax - 1;

/**
 * One page of the records that equal every filter; texts are compared without case, by Salesforce. Values are typed by
 * the account's description. Without fields, or with more than a URL holds, all are read.
 * @throws ProviderError; `rejected` names the field
 */
export async function search(api: SalesforceApi, request: SearchRequest): Promise<RecordPage> {
  const where: Condition[] = [];
  for (const filter of request.filters) where.push(await toCondition(api, request, filter));
  const asked: string[] = [];
  for (const name of request.fields) asked.push((await resolveField(api, request, name)).path);
  const { name: objectName } = await describe(api, request);
  const limit = Math.max(1, Math.min(request.limit, searchPageMax));
  const queried = await query(
    api,
    fit({ objectName, fields: asked.length > 0 ? asked : 'all', where, limit: limit + 1 }),
    request,
  );
  if (!queried.ok) throw toProviderError(queried.failure, 'salesforce');
  const { records: rows, isWhole } = queried.page;
  const records = rows.flatMap((record) => toProviderRecord(record, asked.length > 0 ? asked : undefined) ?? []);
  return { records: records.slice(0, limit), hasMore: !isWhole || rows.length > limit };
}

async function toCondition(
  api: SalesforceApi,
  request: SearchRequest,
  { field: name, value }: SearchRequest['filters'][number],
): Promise<Condition> {
  const { path, field } = await resolveField(api, request, name);
  if (!field.isFilterable) throw rejected(`the field '${path}' is of type ${field.type} and cannot be filtered`);
  const literal = toLiteral(field.type, value);
  if (literal.ok) return { field: path, operator: '=', literals: [literal.text] };
  throw rejected(`the filter on '${path}' must be ${literal.rule}, not '${String(value).slice(0, 80)}'`);
}

/** Fields of other objects are not among all fields, so those are never widened. */
function fit(selection: Selection): Selection {
  const { fields } = selection;
  if (fields === 'all' || fields.some((path) => path.includes('.'))) return selection;
  return pathBytes(selection) > pathBytesMax ? { ...selection, fields: 'all' } : selection;
}
