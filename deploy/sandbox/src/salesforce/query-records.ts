import { malformedQuery } from './wire-reply';
import type { ApiAction, ApiCall, ApiReply } from './org';
import { attributesOf } from './present-record';
import type { QueryPage } from './query-cursors';
import { fieldValue, type StoredRecord } from './record-values';
import { recordAt, type FieldPath } from './soql/field-path';
import { runQuery } from './soql/run-query';

/** Page sizes that `Sforce-Query-Options` may ask for; outside them the nearest is taken. Source: docs/contributing/providers.md, B4. */
const pageSizes = { least: 200, most: 2000 };

/** `GET /query?q=`: live records. */
export const queryLive: ApiAction = (call) => query(call, false);

/** `GET /queryAll?q=`: deleted ones too. */
export const queryAll: ApiAction = (call) => query(call, true);

/** `GET /query/{locator}`. */
export const queryMore: ApiAction = (call) => pageReply(call, call.org.cursors.next(call.params.locator ?? ''));

function query(call: ApiCall, withDeleted: boolean): ApiReply {
  const soql = call.query.get('q');
  if (soql === null || soql.trim() === '') throw malformedQuery('A query string has to be specified');
  const { records, columns } = runQuery(call.org, soql, withDeleted);
  if (columns === 'count') return { status: 200, body: { totalSize: records.length, done: true, records: [] } };
  const rows = records.map((record) => row(call, record, columns));
  return pageReply(call, call.org.cursors.open(rows, pageSizeOf(call)));
}

function pageReply(call: ApiCall, { totalSize, records, next }: QueryPage): ApiReply {
  const nextUrl = next === undefined ? {} : { nextRecordsUrl: `/services/data/v${call.version}/query/${next}` };
  return { status: 200, body: { totalSize, done: next === undefined, ...nextUrl, records } };
}

function pageSizeOf(call: ApiCall): number {
  const asked = /batchSize\s*=\s*(\d+)/i.exec(call.headers['sforce-query-options'] ?? '')?.[1];
  return Math.min(pageSizes.most, Math.max(pageSizes.least, Number(asked ?? pageSizes.most)));
}

/** A row has the fields of the select list, those of other objects inside an object named for their relationship. */
function row(call: ApiCall, record: StoredRecord, columns: readonly FieldPath[]): Row {
  const shown: Row = { attributes: attributesOf(call.version, record) };
  for (const column of columns) addColumn(call, shown, record, column);
  return shown;
}

type Row = Record<string, unknown>;

function addColumn(call: ApiCall, shown: Row, record: StoredRecord, { through, field }: FieldPath): void {
  const [step, ...rest] = through;
  if (!step) {
    shown[field.name] = fieldValue(record, field, call.org.userId);
    return;
  }
  const name = step.reference?.path ?? step.name;
  const target = recordAt(call.org, record, [step]);
  if (!target) {
    shown[name] = null;
    return;
  }
  const inside = (shown[name] ?? { attributes: attributesOf(call.version, target) }) as Row;
  addColumn(call, inside, target, { through: rest, field });
  shown[name] = inside;
}
