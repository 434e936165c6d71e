import type { StoredRecord } from '../crm/record-store';
import { badRequest, malformedQuery } from './errors';
import { attributesOf, type Action, type OrgCall } from './org-data';
import { recordAt, runQuery, type FieldPath } from './soql/run-query';

/** Rows of a page. Source: Salesforce REST guide, "Query Options Header". */
const PAGE = { min: 200, max: 2000 };

/** `GET /query?q=`: live records. */
export const query: Action = (call) => pageOf(call, { soql: call.query.get('q') ?? '', which: 'live' });

/** `GET /queryAll?q=`: those in the recycle bin too. */
export const queryAll: Action = (call) => pageOf(call, { soql: call.query.get('q') ?? '', which: 'with-deleted' });

/** `GET /query/{locator}`, the `nextRecordsUrl` of the page before: of the records as they are by then. */
export const queryMore: Action = (call) => {
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
