import type { StoredRecord } from '../crm/record-store';
import { malformedQuery } from './errors';
import { attributesOf, type Action, type OrgCall } from './org-data';
import { recordAt, runQuery, type FieldPath } from './soql/run-query';

/** `GET /query?q=`: live records, all on one page. */
export const query: Action = (call) => rowsOf(call, 'live');

/** `GET /queryAll?q=`: those in the recycle bin too. */
export const queryAll: Action = (call) => rowsOf(call, 'with-deleted');

function rowsOf(call: OrgCall, which: 'live' | 'with-deleted') {
  const soql = call.query.get('q');
  if (soql === null || soql.trim() === '') throw malformedQuery('A query string has to be specified');
  const { records, columns } = runQuery(call.data, soql, which);
  const rows = columns === 'count' ? [] : records.map((record) => row(call, record, columns));
  return { status: 200, body: { totalSize: records.length, done: true, records: rows } };
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
