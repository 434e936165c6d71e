import { createHash } from 'node:crypto';
import { type JsonSchema, parameterMeanings } from '@sluice/types';
import { escapeHtml } from '../problem-handler';
import { type OpenApiDocument, type OpenApiOperation, problemType, type OpenApiParameter } from './route-contract';

const style = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2{margin-top:3rem;border-bottom:2px solid #ccc}h3{margin-top:2.5rem}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#f4f4f4;padding:.75rem;overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #ddd}
.problems{color:#555;font-size:.9rem}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}pre{background:#242424}a{color:#8ab4f8}.problems{color:#aaa}}
`;

/** The page has one style and nothing else: no script, no image, no other address. Source: CSP level 3, hash sources. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** The document as one page for people, by tag. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const title = escapeHtml(info.title);
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<h3 id="schema-${escapeHtml(name)}">${escapeHtml(name)}</h3>${text(schema['description'])}${memberTable(schema)}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body><h1>${title}</h1><p>Version ${escapeHtml(info.version)}; as a program reads it: <a href="/openapi.json">openapi.json</a></p>
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
  .join('\n')}
<nav><h2>Contents</h2>${tags.map(({ name }) => contents(document, name)).join('\n')}</nav>
${tags.map((tag) => `<h2>${escapeHtml(tag.name)}</h2>${text(tag.description)}${section(document, tag.name)}`).join('\n')}
<h2>Schemas</h2>${schemas.join('\n')}
</body></html>
`;
}

interface PathOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): PathOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function contents(document: OpenApiDocument, tag: string): string {
  const lines = operationsOf(document, tag).map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a></li>`,
  );
  return `<p>${escapeHtml(tag)}</p><ul>${lines.join('')}</ul>`;
}

function section(document: OpenApiDocument, tag: string): string {
  return operationsOf(document, tag)
    .map(({ method, path, operation }) => describeOperation(document, `${method} ${path}`, operation))
    .join('\n');
}

const text = (sentence: unknown) => (typeof sentence === 'string' ? `<p>${escapeHtml(sentence)}</p>` : '');

/** One endpoint: what it needs, takes and answers, and a command that calls it. */
function describeOperation(document: OpenApiDocument, title: string, operation: OpenApiOperation): string {
  const scopes = operation['x-scopes'];
  return [
    `<section id="${operation.operationId}"><h3>${escapeHtml(operation.summary)}</h3>`,
    `<p><code>${escapeHtml(title)}</code></p>`,
    operation.description === undefined ? '' : `<p>${escapeHtml(operation.description)}</p>`,
    operation.security.length === 0 ? '<p>Needs no key.</p>' : '',
    scopes === undefined ? '' : `<p>Who may call: ${escapeHtml(scopes.map(admissionName).join(', '))}.</p>`,
    parameters(operation.parameters ?? []),
    body(document, operation),
    replies(operation),
    `<h4>Example</h4><pre>${escapeHtml(curl(document, title, operation))}</pre></section>`,
  ].join('\n');
}

function admissionName(scope: string): string {
  if (scope === 'admin') return 'the bootstrap key';
  return scope === 'token' ? 'bearer tokens of the group' : `keys with ${scope}`;
}

function parameters(list: readonly OpenApiParameter[]): string {
  if (list.length === 0) return '';
  const rows = list.map(
    ({ name, in: where, required, description, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required ? ' (required)' : ''}<td>${where}<td>${typeName(schema)}<td>${escapeHtml(description)}`,
  );
  return `<h4>Parameters</h4><table><thead><tr><th>Name<th>In<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>`;
}

function body(document: OpenApiDocument, { requestBody }: OpenApiOperation): string {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? '' : `<h4>Body</h4>${memberTable(resolve(schema, document.components.schemas))}`;
}

function replies({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses)
    .filter(([, { content }]) => Object.keys(content ?? {}).join() !== problemType)
    .map(([status, { description, content, headers }]) => {
      const [type, { schema } = { schema: {} }] = Object.entries(content ?? {})[0] ?? ['no body'];
      const names = Object.keys(headers ?? {});
      const more = names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`;
      const shown = content === undefined ? '' : typeName(schema);
      return `<tr><td>${status}<td>${escapeHtml(type)}<td>${shown}<td>${escapeHtml(description + more)}`;
    });
  const problems = Object.entries(responses).flatMap(([status, { 'x-problem-codes': codes }]) =>
    codes === undefined ? [] : [`${status}: ${codes.join(', ')}.`],
  );
  return `<h4>Replies</h4><table><thead><tr><th>Status<th>Content<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>
<p class="problems">Otherwise application/problem+json (<a href="#schema-ApiProblem">ApiProblem</a>). ${escapeHtml(problems.join(' '))}</p>`;
}

function curl({ components, servers }: OpenApiDocument, title: string, operation: OpenApiOperation): string {
  const [method = 'GET', path = ''] = title.split(' ');
  const examples = operation.parameters ?? [];
  const filled = examples.reduce((url, { name, example = 'x' }) => url.replace(`{${name}}`, example), path);
  const query = examples
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name, schema }) => `${name}=${String(sampleOf(schema, components.schemas, name))}`);
  const address = `$ORIGIN${servers[0]?.url ?? ''}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {};
  return [
    `curl -X ${method} "${address}"`,
    ...(operation.security.length === 0 ? [] : ['-H "x-api-key: $KEY"']),
    ...(schema === undefined
      ? []
      : [
          '-H "content-type: application/json"',
          `-d '${JSON.stringify(example ?? sampleOf(schema, components.schemas))}'`,
        ]),
  ].join(' \\\n  ');
}

/** Levels of members that are shown in one table; deeper ones are shown with their schema. */
const levelsMax = 4;

/** A table of a schema's members, nested ones under dotted names; empty when it names none. */
function memberTable(schema: JsonSchema): string {
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
function typeName(schema: JsonSchema): string {
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
  const sentences = [
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
  return sentences.length === 0 ? '' : ` ${escapeHtml(sentences.join(' '))}`;
}

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
