import { type OpenApiDocument, type OpenApiOperation, type OpenApiParameter, refName } from '@sluice/http';
import type { JsonSchema } from '@sluice/types';
import type { ApiName } from './read-documents';

interface PathOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/**
 * Source of one part of the client: the types of its operations, and how each goes over the wire.
 * @param known names of types that the types lib exports; others are written out
 */
export function renderClient(api: ApiName, document: OpenApiDocument, known: ReadonlySet<string>): string {
  const operations = operationsOf(document);
  const named = new Set<string>();
  const refer = (name: string) => void named.add(name);
  const types = operations.map((pathOperation) => renderOperation(pathOperation, refer));
  const own = renderOwnTypes(document, known, named);
  const imported = [...named].filter((name) => known.has(name)).toSorted();
  const title = `${api.charAt(0).toUpperCase()}${api.slice(1)}Operations`;
  return [
    `// Generated from the document of the ${api} API by: npm run generate:client. Do not edit.`,
    '/* eslint-disable max-lines */',
    ...(imported.length === 0 ? [] : [`import type { ${imported.join(', ')} } from '@sluice/types';`]),
    `import type { OperationShape } from '../operation-shape';`,
    '',
    ...own,
    `/** What each operation of the ${api} API takes and answers. */`,
    `export interface ${title} {`,
    ...types,
    '}',
    '',
    '/** How each goes over the wire. */',
    `export const ${api}Operations: Readonly<Record<keyof ${title}, OperationShape>> = {`,
    ...operations.map(renderShape),
    '};',
    '',
  ].join('\n');
}

/**
 * Source of the list of types that requests and replies name, for those who use the client.
 * @param sources what `renderClient` made
 */
export function renderClientTypes(sources: readonly string[]): string {
  const names = sources.flatMap(
    (source) => /import type \{ (.*) \} from '@sluice\/types'/.exec(source)?.[1]?.split(', ') ?? [],
  );
  const list = [...new Set([...names, ...ofNoOperation])].toSorted();
  return [
    '// Generated from the documents of the APIs by: npm run generate:client. Do not edit.',
    `export type { ${list.join(', ')} } from '@sluice/types';`,
    '',
  ].join('\n');
}

/** What refusals and webhook messages hold. */
const ofNoOperation = [
  'ApiProblem',
  'InputValidationProblem',
  'RecordProblem',
  'RefusedWriteReply',
  'WebhookEvent',
  'WebhookEventType',
  'WriteDoneEvent',
];

function operationsOf({ paths }: OpenApiDocument): PathOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function renderOperation({ operation }: PathOperation, refer: (name: string) => void): string {
  const { operationId, summary, description, requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const sent = (operation.parameters ?? []).filter(({ in: where }) => where !== 'header');
  const members = [
    ...sent.map((parameter) => renderParameter(parameter, refer)),
    ...(body === undefined ? [] : [`readonly body: ${renderType(body, refer)};`]),
  ];
  const text = [`${summary}.`, ...(description === undefined ? [] : [description])].join(' ');
  return [
    `  /** ${text} */`,
    `  readonly ${operationId}: {`,
    `    readonly params: {`,
    ...members.map((member) => `      ${member}`),
    '    };',
    `    readonly reply: ${replyType(operation, refer)};`,
    '  };',
  ].join('\n');
}

/** The project may be in the client's options instead of each call. */
function renderParameter(parameter: OpenApiParameter, refer: (name: string) => void): string {
  const { name, required, description, schema } = parameter;
  const isOptional = !required || name === 'projectIdOrName';
  return `/** ${description} */ readonly ${name}${isOptional ? '?' : ''}: ${renderType(schema, refer)};`;
}

function replyType({ responses }: OpenApiOperation, refer: (name: string) => void): string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.map(([, { content }]) => {
    const schema: JsonSchema | undefined = Object.values(content ?? {})[0]?.schema;
    return schema === undefined ? 'void' : renderType(schema, refer);
  });
  return [...new Set(types)].join(' | ');
}

/** Types of components that the types lib does not export, and of those they name in turn. */
function renderOwnTypes(document: OpenApiDocument, known: ReadonlySet<string>, named: Set<string>): string[] {
  const written: string[] = [];
  // The set grows while it is walked: a type may name another.
  for (const name of named) {
    const schema = document.components.schemas[name];
    if (known.has(name) || schema === undefined) continue;
    const { description } = schema;
    written.push(`/** ${typeof description === 'string' ? description : name} */`);
    written.push(`export type ${name} = ${renderType(schema, (other) => void named.add(other))};`, '');
  }
  return written;
}

function renderShape({ method, path, operation }: PathOperation): string {
  const query = (operation.parameters ?? [])
    .filter(({ in: where }) => where === 'query')
    .map(({ name }) => `'${name}'`);
  const body = operation.requestBody === undefined ? '' : ', body: true';
  return `  ${operation.operationId}: { method: '${method}', path: '${path}', query: [${query.join(', ')}]${body} },`;
}

/** TypeScript of a schema, on one line. @param refer called with every component that the text names */
function renderType(schema: JsonSchema, refer: (name: string) => void): string {
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
