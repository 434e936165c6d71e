import type { FieldDefinition, FieldValue } from './field-definition';
import type { ApiCall } from './org';
import { fieldValue, type StoredRecord } from './record-values';

/** A record on the wire: what it is and where it is, then the fields that were asked for. */
export interface WireRecord {
  readonly attributes: { readonly type: string; readonly url: string };
  readonly [field: string]: FieldValue | object;
}

/** The address of a record, from the root. */
export const recordUrl = (version: string, { type, id }: StoredRecord): string =>
  `/services/data/v${version}/sobjects/${type}/${id}`;

export const attributesOf = (version: string, record: StoredRecord): WireRecord['attributes'] => ({
  type: record.type,
  url: recordUrl(version, record),
});

/** The asked fields in their order; `Id` comes last when it is not among them. */
export function presentRecord(call: ApiCall, record: StoredRecord, fields: readonly FieldDefinition[]): WireRecord {
  const values = fields.map((field) => [field.name, fieldValue(record, field, call.org.userId)] as const);
  return { attributes: attributesOf(call.version, record), ...Object.fromEntries(values), Id: record.id };
}
