import type { RecordResult, ProviderRecord } from '../results';
import type { HubspotAnswer } from './call-hubspot';
import { readRecord, type WireRecord } from './wire';

/** The outcome of a single write. A success that names no record is of unknown outcome. */
export function toRecordResult(answer: HubspotAnswer): RecordResult {
  if (!answer.ok) return { ok: false, error: answer.failure };
  const record = readRecord(answer.body);
  if (record) return toSuccess(record);
  return {
    ok: false,
    error: { class: 'unknown', scope: 'record', message: 'HubSpot answered with success but without a record id' },
  };
}

/** `data` is the record as HubSpot returned it, for single and batch writes alike. */
export function toSuccess(record: WireRecord, ...warnings: readonly string[]): RecordResult {
  const all = [...record.warnings, ...warnings];
  return { ok: true, recordId: record.id, data: record.raw, ...(all.length > 0 && { warnings: all }) };
}

export function mergedWarning(recordId: string, survivingId: string): string {
  return `HubSpot updated record ${survivingId}, into which ${recordId} was merged`;
}

/** A record as it leaves this folder. */
export function toProviderRecord(record: WireRecord): ProviderRecord {
  const { id, properties, raw, createdAt } = record;
  return { id, fields: properties, raw, ...(createdAt && { createdAt }) };
}
