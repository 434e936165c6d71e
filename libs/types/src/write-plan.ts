import type { Association, ForwardedHeader, WriteType, JsonValue } from './write-request';

/**
 * What will be sent for one record: defaults, settings and mappings are already applied, so the executor needs no
 * config. Stored as text with the record (it holds customer data) and dropped after the retention time.
 */
export interface WritePlan {
  readonly type: WriteType;
  /** The provider's object name. */
  readonly objectName: string;
  /** The provider's id of the record; present for update and delete. */
  readonly recordId?: string;
  /** Provider field name to value. Never holds the record's id. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Provider fields that are written only while they are unset or empty. Absent: none. */
  readonly ifEmpty?: readonly string[];
  readonly associations?: readonly Association[];
  readonly headers?: readonly ForwardedHeader[];
  /** Why a field is written otherwise than it was sent, or not at all; without values. Absent: all went as it came. */
  readonly notes?: readonly PlanNote[];
}

/** The stored part of a decision, to explain it later. */
export type PlanNote = Omit<FieldDecision, 'value'>;

/** Why a field is in the plan or not. Shown by `dryRun` and in logs. */
export interface FieldDecision {
  /** Name as the request spells it, or the setting's name for a default. */
  readonly field: string;
  /** Absent when the field is a mapped name for which the user chose no field. */
  readonly providerField?: string;
  /** After value mappings, where the field is sent. */
  readonly value: JsonValue;
  readonly reason: string;
  readonly sent: boolean;
}
