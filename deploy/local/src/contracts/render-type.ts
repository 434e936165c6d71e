import { refName } from '@sluice/http';
import type { JsonSchema } from '@sluice/types';

/** TypeScript of a schema, on one line. @param refer is told every component that the text names */
export function renderType(schema: JsonSchema, refer: (name: string) => void): string {
  const name = refName(schema);
  if (name !== undefined) {
    refer(name);
    return name;
  }
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map((part) => renderType(part, refer)).join(' | ');
  if (Array.isArray(type)) return (type as string[]).map((one) => plainType(one)).join(' | ');
  if (type === 'array') return `readonly (${renderType((schema['items'] ?? {}) as JsonSchema, refer)})[]`;
  return type === 'object' ? objectType(schema, refer) : plainType(type as string | undefined);
}

function plainType(type: string | undefined): string {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown';
}

function objectType(schema: JsonSchema, refer: (name: string) => void): string {
  const { properties, additionalProperties, required = [] } = schema;
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, member]) =>
      `readonly ${propertyName(name)}${(required as string[]).includes(name) ? '' : '?'}: ${renderType(member, refer)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  const inner =
    typeof additionalProperties === 'object' ? renderType(additionalProperties as JsonSchema, refer) : 'unknown';
  return `Readonly<Record<string, ${inner}>>`;
}

/** Quoted where it is no identifier. */
function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
