import type { FieldDefinition } from './field-definition';

/** One kind of record, as far as behaviour depends on it. */
export interface ObjectDefinition {
  /** In its canonical case. */
  readonly name: string;
  readonly label: string;
  readonly labelPlural: string;
  /** First three characters of its ids. */
  readonly keyPrefix: string;
  /** Whether the API can create, update and delete it. */
  readonly isWritable: boolean;
  readonly fields: readonly FieldDefinition[];
}
