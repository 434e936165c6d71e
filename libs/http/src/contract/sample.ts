import { type JsonSchema, parameterMeanings } from '@sluice/types';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * A value of a schema: its example, default or first enum value, else the least that it requires. Texts with a known name
 * get that name's example. For pages and tests, not for values that must mean something.
 * @param schemas the components that `$ref` names
 */
export function sampleOf(schema: JsonSchema, schemas: Schemas, name = ''): unknown {
  const whole = resolve(schema, schemas);
  if (whole['example'] !== undefined) return whole['example'];
  if (Array.isArray(whole['enum'])) return whole['enum'][0];
  const [first] = (whole['anyOf'] ?? whole['oneOf'] ?? []) as JsonSchema[];
  if (first !== undefined) return sampleOf(first, schemas, name);
  const type = Array.isArray(whole['type']) ? (whole['type'][0] as string) : whole['type'];
  if (type === 'object') return objectSample(whole, schemas);
  if (type === 'array') {
    const fewest = typeof whole['minItems'] === 'number' ? whole['minItems'] : 1;
    return Array.from({ length: fewest }, () => sampleOf((whole['items'] ?? {}) as JsonSchema, schemas, name));
  }
  if (whole['default'] !== undefined) return whole['default'];
  if (type === 'integer' || type === 'number') return whole['minimum'] ?? 1;
  if (type === 'boolean') return true;
  if (whole['format'] === 'date-time') return '2026-11-20T10:00:00.000Z';
  if (whole['format'] === 'password') return 'secret';
  return parameterMeanings[name]?.example ?? (name === '' ? 'text' : name);
}

/** The schema that a reference names, or the schema itself. */
function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = refName(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** The component that a schema refers to. */
export function refName({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}

function objectSample(schema: JsonSchema, schemas: Schemas): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as readonly string[];
  const fewest = typeof schema['minProperties'] === 'number' ? schema['minProperties'] : 0;
  const names = required.length >= fewest ? required : Object.keys(properties).slice(0, fewest);
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, schemas, name)]));
}
