import type { OperationRecord } from './operation-record';

/** A line of a CSV file, with its end; an absent cell is empty. Source: RFC 4180. */
function csvLine(cells: readonly (string | undefined)[]): string {
  return `${cells.map((cell = '') => csvCell(cell)).join(',')}\r\n`;
}

/** What a spreadsheet would run as a formula is marked as text. Source: OWASP, "CSV Injection". */
function csvCell(text: string): string {
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The first line of a CSV file of failed records. `record` is the index in the operation, `id` the provider's id: a failed create has none. */
export const failedRecordsHeader = csvLine(['record', 'id', 'ref', 'code', 'text', 'fields', 'identified by']);

/** The line of a failed record: its class of failure, the provider's sentence, the fields that it names, and the value by which people know the record. */
export function failedRecordLine(record: OperationRecord): string {
  const { index, recordId, ref, error, problems = [], identifiedBy } = record;
  const fields = problems.flatMap(({ field }) => field ?? []);
  return csvLine([String(index), recordId, ref, error?.class, error?.message, fields.join('; '), identifiedBy?.value]);
}
