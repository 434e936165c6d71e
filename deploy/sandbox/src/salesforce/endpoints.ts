import type { ReceivedCall } from '../control/imitated-provider';
import { decodeSegment, endpoint, type Endpoint, endpointsAt, type FoundEndpoint } from '../crm/api-call';
import type { StoredRecord } from '../crm/record-store';
import { createMany, deleteMany, retrieveMany, updateMany, upsertMany } from './collections';
import { badRequest, malformedQuery, notFound, SalesforceError } from './errors';
import { describeObject, listObjects } from './metadata';
import { type Action, attributesOf, type OrgCall } from './org-data';
import { createOne, deleteOne, readOne, updateOne } from './single-records';
import { type FieldPath, recordAt, runQuery } from './soql/run-query';
import { identity, userinfo } from './tokens';

/** Rows of a page. Source: Salesforce REST guide, "Query Options Header". */
const PAGE = { min: 200, max: 2000 };

/** `GET /query?q=`: live records. */
const query: Action = (call) => pageOf(call, { soql: call.query.get('q') ?? '', which: 'live' });

/** `GET /queryAll?q=`: those in the recycle bin too. */
const queryAll: Action = (call) => pageOf(call, { soql: call.query.get('q') ?? '', which: 'with-deleted' });

/** `GET /query/{locator}`, the `nextRecordsUrl` of the page before: of the records as they are by then. */
const queryMore: Action = (call) => {
  const [, which, soql = '', from] = /^01g(live|with-deleted)-([0-9a-f]+)-(\d+)$/.exec(call.params.locator ?? '') ?? [];
  if (which !== 'live' && which !== 'with-deleted') throw badRequest('INVALID_QUERY_LOCATOR', 'invalid query locator');
  return pageOf(call, { soql: Buffer.from(soql, 'hex').toString(), which, from: Number(from) });
};

type Query = { readonly soql: string; readonly which: 'live' | 'with-deleted'; readonly from?: number };

function pageOf(call: OrgCall, { soql, which, from = 0 }: Query) {
  if (soql.trim() === '') throw malformedQuery('A query string has to be specified');
  const { records, columns } = runQuery(call.data, soql, which);
  const requested = /batchSize=(\d+)/i.exec(call.headers['sforce-query-options'] ?? '')?.[1] ?? PAGE.max;
  const next = from + Math.min(PAGE.max, Math.max(PAGE.min, Number(requested)));
  const rows = columns === 'count' ? [] : records.slice(from, next).map((record) => row(call, record, columns));
  const done = columns === 'count' || next >= records.length;
  const locator = `01g${which}-${Buffer.from(soql).toString('hex')}-${next}`;
  const more = done ? {} : { nextRecordsUrl: `/services/data/v${call.version}/query/${locator}` };
  return { status: 200, body: { totalSize: records.length, done, ...more, records: rows } };
}

/** A row has the fields of the select list, those of other objects inside an object named for their relationship. */
function row(call: OrgCall, record: StoredRecord, columns: readonly FieldPath[]): Row {
  const shown: Row = { attributes: attributesOf(call.version, record) };
  for (const column of columns) addColumn(call, shown, record, column);
  return shown;
}

type Row = Record<string, unknown>;

function addColumn(call: OrgCall, shown: Row, record: StoredRecord, { through, field }: FieldPath): void {
  const [step, ...rest] = through;
  if (!step) {
    shown[field.name] = call.data.fieldValue(record, field);
    return;
  }
  const name = step.reference?.path ?? step.name;
  const target = recordAt(call.data, record, [step]);
  if (!target) {
    shown[name] = null;
    return;
  }
  const inside = (shown[name] ?? { attributes: attributesOf(call.version, target) }) as Row;
  addColumn(call, inside, target, { through: rest, field });
  shown[name] = inside;
}

const data = (spec: string, name: string, perform: Action, carries?: Endpoint<OrgCall>['carries']) =>
  endpoint(spec.replace(' /', ' /services/data/:version/'), name, perform, carries);

/** The endpoints, literal segments before parameters. */
const endpoints: readonly Endpoint<OrgCall>[] = [
  endpoint('GET /services/oauth2/userinfo', 'userinfo', userinfo),
  endpoint('GET /id/:org/:user', 'identity', identity),
  data('GET /query', 'search', query),
  data('GET /queryAll', 'search', queryAll),
  data('GET /query/:locator', 'search', queryMore),
  data('GET /sobjects', 'objects', listObjects),
  data('POST /sobjects/:object', 'create', createOne, 'one'),
  data('GET /sobjects/:object/describe', 'describe', describeObject),
  data('GET /sobjects/:object/:id', 'read', readOne, 'one'),
  data('PATCH /sobjects/:object/:id', 'update', updateOne, 'one'),
  data('DELETE /sobjects/:object/:id', 'delete', deleteOne, 'one'),
  data('POST /composite/sobjects', 'batch-create', createMany, 'records'),
  data('PATCH /composite/sobjects', 'batch-update', updateMany, 'records'),
  data('DELETE /composite/sobjects', 'batch-delete', deleteMany, 'ids'),
  data('POST /composite/sobjects/:object', 'batch-read', retrieveMany, 'ids'),
  data('PATCH /composite/sobjects/:object/:field', 'batch-upsert', upsertMany, 'records'),
];

/** Every endpoint at an address, whatever its method; empty for one that Salesforce does not have. */
function endpointsOf({ path }: ReceivedCall): FoundEndpoint<OrgCall>[] {
  // An invalid escape stands for itself: nothing has that name. Repeated slashes count as one.
  const segments = path.split('/').filter(Boolean);
  return endpointsAt(endpoints, ['', ...segments.map((segment) => decodeSegment(segment) ?? segment)]);
}

/** @returns undefined for an address, or a method of it, that Salesforce does not have */
export function findEndpoint(call: ReceivedCall): FoundEndpoint<OrgCall> | undefined {
  return endpointsOf(call).find((found) => found.endpoint.method === call.method);
}

/** @throws SalesforceError 404 or 405 */
export function getEndpoint(call: ReceivedCall): FoundEndpoint<OrgCall> {
  const found = findEndpoint(call);
  if (found) return found;
  const allowed = [...new Set(endpointsOf(call).map((other) => other.endpoint.method))];
  if (allowed.length === 0) throw notFound();
  const message = `HTTP Method '${call.method}' not allowed. Allowed are ${allowed.join(',')}`;
  throw new SalesforceError(405, { code: 'METHOD_NOT_ALLOWED', message });
}
