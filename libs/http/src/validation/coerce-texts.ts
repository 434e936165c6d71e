import type { JsonSchema } from '@sluice/types';

/** One spelling per number, that of JSON: `Number()` would also take `0x5`, `1e1` and blanks. */
const wholeNumber = /^(0|-?[1-9]\d*)$/;

/**
 * What arrives as text (query, path) with its whole numbers and booleans turned into those, where the schema asks for them.
 * Any other text stays one, so that the schema refuses it.
 */
export function coerceTexts(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      coerce(Object.hasOwn(properties, name) ? properties[name] : {}, text),
    ]),
  );
}

function coerce(schema: JsonSchema | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (schema?.['type'] === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (schema?.['type'] !== 'integer' || !wholeNumber.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}
