/**
 * A JSON Schema as plain data, in the keywords that draft-07 and 2020-12 share. Request schemas refuse unknown members;
 * reply schemas stay open, so that a member may be added. Secrets are marked `writeOnly`.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Text that is stored as a name or an id: never empty, at most 255 characters, no NUL (Postgres text refuses it). */
export const nameText = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$' } as const;

/** ISO 8601 date-time with offset. Source: specification, introduction. */
export const moment = { type: 'string', format: 'date-time' } as const;
