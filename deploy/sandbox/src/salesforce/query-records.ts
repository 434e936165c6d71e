import type { ApiReply } from '../crm/api-call';
import type { StoredRecord } from '../crm/record-store';
import { malformedQuery } from './errors';
import { attributesOf, type Action, type OrgCall } from './org-data';
import type { QueryPage } from './query-cursors';
import { recordAt, runQuery, type FieldPath } from './soql/run-query';

/** Page sizes that `Sforce-Query-Options` may request; outside them the nearest applies. Source: docs/contributing/providers.md, B4. */
const pageSizes = { least: 200, most: 2000 };

/** `GET /query/{locator}`. */
export const queryMore: Action = (call) => pageReply(call, call.cursors.next(call.params.locator ?? ''));

/** `GET /query?q=`: live records. */
export const query: Action = (call) => {
  const soql = call.query.get('q');
  if (soql === null || soql.trim() === '') throw malformedQuery('A query string has to be specified');
  const { records, columns } = runQuery(call.data, soql);
  if (columns === 'count') return { status: 200, body: { totalSize: records.length, done: true, records: [] } };
  const rows = records.map((record) => row(call, record, columns));
  return pageReply(call, call.cursors.open(rows, pageSizeOf(call)));
};

function pageReply(call: OrgCall, { totalSize, records, next }: QueryPage): ApiReply {
  const nextUrl = next === undefined ? {} : { nextRecordsUrl: `/services/data/v${call.version}/query/${next}` };
  return { status: 200, body: { totalSize, done: next === undefined, ...nextUrl, records } };
}

function pageSizeOf(call: OrgCall): number {
  const requested = /batchSize\s*=\s*(\d+)/i.exec(call.headers['sforce-query-options'] ?? '')?.[1];
  return Math.min(pageSizes.most, Math.max(pageSizes.least, Number(requested ?? pageSizes.most)));
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
