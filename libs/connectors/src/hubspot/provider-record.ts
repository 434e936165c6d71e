import type { ProviderRecord } from '../results';
import type { WireRecord } from './wire';

/** A record as it leaves this folder. */
export function toProviderRecord(record: WireRecord): ProviderRecord {
  const { id, properties, raw, createdAt } = record;
  return { id, fields: properties, raw, ...(createdAt && { createdAt }) };
}
