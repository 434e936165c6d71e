import { toProviderError } from '../provider-call';
import type { SearchRequest } from '../requests';
import type { ProviderRecord } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { describe, rejected, resolveField } from './describe';
import { type Condition, pathBytes, pathBytesMax, query, type Selection, toLiteral } from './soql';
import { toProviderRecord } from './wire';

/** Records of one page. A query takes 2,000, but `FIELDS(ALL)` only this many. Source: reference B4. */
export const searchPageMax = 200;

/**
 * One page of the records that equal every filter; texts are compared without case, by Salesforce. Values are typed by
 * the account's description. Without fields, or with more than a URL holds, all are read.
 * @throws ProviderError; `rejected` names the field
 */
export async function search(api: SalesforceApi, request: SearchRequest): Promise<ProviderRecord[]> {
  const where: Condition[] = [];
  for (const filter of request.filters) where.push(await toCondition(api, request, filter));
  const asked: string[] = [];
  for (const name of request.fields) asked.push((await resolveField(api, request, name)).path);
  const { name: objectName } = await describe(api, request);
  const limit = Math.max(1, Math.min(request.limit, searchPageMax));
  const queried = await query(
    api,
    fit({ objectName, fields: asked.length > 0 ? asked : 'all', where, limit }),
    request,
  );
  if (!queried.ok) throw toProviderError(queried.failure, 'salesforce');
  return queried.page.records.flatMap((record) => toProviderRecord(record, asked.length > 0 ? asked : undefined) ?? []);
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
