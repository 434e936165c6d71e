import type { JsonSchema } from '@sluice/types';

type Members = Readonly<Record<string, JsonSchema>>;

/** Texts of the published shapes. */
export const text: JsonSchema = { type: 'string' };
export const flag: JsonSchema = { type: 'boolean' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
/** RFC 3339 with offset: the Node SDKs refuse any other. */
export const moment: JsonSchema = { type: 'string', format: 'date-time' };
/** Whatever a provider or a builder put there. */
export const anything: JsonSchema = { type: 'object', additionalProperties: true };

export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/**
 * An object of the published API: exactly these members, none of them null.
 * @param ours members that the published shape does not have and we send besides
 */
export function shape(required: Members, optional: Members = {}, ours: Members = {}): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional, ...ours },
  };
}
