import type { FieldValue } from './field-definition';

/**
 * A stored record. Never changed in place: a write replaces it, so that a rolled back call can put the old one back.
 * Plain JSON, because it goes into the journal as it is.
 */
export interface StoredRecord {
  /** 18 characters. */
  readonly id: string;
  /** Name of its object. */
  readonly type: string;
  /** Running number within its object, behind an auto-number field. */
  readonly number: number;
  /** What was written and is set; computed fields are added when it is shown. */
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** In the recycle bin: only `queryAll` and the error for its id still know it. */
  readonly isDeleted: boolean;
}
