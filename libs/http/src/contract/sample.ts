import { exampleOf, type JsonSchema } from '@sluice/types';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * A value of a schema: its first example, default or enum value, else what it requires and the members that have an example of their
 * own. Texts whose name has one meaning in the API have the value of that name. For pages and tests, not for values that must mean something.
 * @param schemas the components that `$ref` names
 */
export function sampleOf(schema: JsonSchema, schemas: Schemas, name = ''): unknown {
  const whole = resolve(schema, schemas);
  const [given] = (whole['examples'] ?? []) as readonly unknown[];
  if (given !== undefined) return given;
  if (whole['const'] !== undefined) return whole['const'];
  if (Array.isArray(whole['enum'])) return whole['enum'][0];
  const type = Array.isArray(whole['type']) ? (whole['type'][0] as string) : whole['type'];
  if (type === 'object') return objectSample(whole, schemas);
  const [first] = (whole['anyOf'] ?? whole['oneOf'] ?? []) as JsonSchema[];
  if (first !== undefined) return sampleOf(first, schemas, name);
  if (type === 'array') {
    const fewest = typeof whole['minItems'] === 'number' ? whole['minItems'] : 1;
    return Array.from({ length: fewest }, () => sampleOf((whole['items'] ?? {}) as JsonSchema, schemas, name));
  }
  if (whole['default'] !== undefined) return whole['default'];
  if (type === 'integer' || type === 'number') return whole['minimum'] ?? 1;
  if (type === 'boolean') return true;
  if (whole['format'] === 'date-time') return '2026-11-20T10:00:00.000Z';
  if (whole['format'] === 'password' || whole['writeOnly'] === true) return 'secret';
  return exampleOf(name) ?? (name === '' ? 'text' : name);
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
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const [branch] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as JsonSchema[];
  const required = new Set([...namesOf(schema), ...namesOf(branch ?? {})]);
  const shown = properties.filter(([name, part]) => required.has(name) || resolve(part, schemas)['examples']);
  // Of an object that requires nothing, such as the new values of an update, the first member.
  const members = shown.length === 0 ? properties.slice(0, 1) : shown;
  if (properties.length === 0) return mapSample(schema, schemas);
  return Object.fromEntries(members.map(([name, part]) => [name, sampleOf(part, schemas, name)]));
}

/** One member, where its value says what it is called. */
function mapSample({ additionalProperties }: JsonSchema, schemas: Schemas): Record<string, unknown> {
  if (typeof additionalProperties !== 'object') return {};
  const value = sampleOf(additionalProperties as JsonSchema, schemas);
  const { name, objectName, fieldName } = Object(value) as Record<string, unknown>;
  const key = name ?? objectName ?? fieldName;
  return typeof key === 'string' ? { [key]: value } : {};
}

const namesOf = ({ required = [] }: JsonSchema): readonly string[] => required as readonly string[];
