import type { JsonSchema } from '@sluice/types';
import { escapeHtml } from '../escape-html';
import { refName } from './sample';

/** Levels of members that are shown in one table; deeper ones stand with the schema they belong to. */
const levelsMax = 4;

/** A table of a schema's members, nested ones under dotted names; empty when it names none. */
export function memberTable(schema: JsonSchema): string {
  const rows = [...memberRows(schema, '', 1)];
  return rows.length === 0
    ? ''
    : `<table><thead><tr><th>Member<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>`;
}

function* memberRows(schema: JsonSchema, prefix: string, level: number): Generator<string> {
  const required = (schema['required'] ?? []) as readonly string[];
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
    const path = `${prefix}${name}`;
    const mark = required.includes(name) ? ' (required)' : '';
    const { description = '' } = member;
    yield `<tr><td><code>${escapeHtml(path)}</code>${mark}<td>${typeName(member)}<td>${escapeHtml(String(description))}${rules(member)}`;
    if (level < levelsMax) yield* innerRows(member, path, level + 1);
  }
}

function* innerRows(member: JsonSchema, path: string, level: number): Generator<string> {
  yield* memberRows(member, `${path}.`, level);
  const { items, additionalProperties: values } = member;
  if (typeof items === 'object') yield* memberRows(items as JsonSchema, `${path}[].`, level);
  if (typeof values === 'object')
    yield* memberRows(values as JsonSchema, `${path}.<name>.`.replace(/[<>]/g, '*'), level);
}

/** The type in words; a component as a link to its table. */
export function typeName(schema: JsonSchema): string {
  const name = refName(schema);
  if (name !== undefined) return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  const { type, items, anyOf, additionalProperties: values } = schema;
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map(typeName).join(' or ');
  if (type === 'array') return `list of ${typeName((items ?? {}) as JsonSchema)}`;
  if (type === 'object' && typeof values === 'object') return `map to ${typeName(values as JsonSchema)}`;
  const names = Array.isArray(type) ? (type as string[]) : [typeof type === 'string' ? type : 'any'];
  return escapeHtml(names.join(' or '));
}

function rules(schema: JsonSchema): string {
  const told = [
    ['enum', 'One of'],
    ['default', 'Default'],
    ['minimum', 'At least'],
    ['maximum', 'At most'],
    ['minItems', 'Items at least'],
    ['maxItems', 'Items at most'],
    ['maxLength', 'Characters at most'],
  ].flatMap(([keyword = '', label = '']) => {
    const value = schema[keyword];
    return value === undefined ? [] : [`${label}: ${Array.isArray(value) ? value.join(', ') : JSON.stringify(value)}.`];
  });
  return told.length === 0 ? '' : ` ${escapeHtml(told.join(' '))}`;
}
