import {
  type ApiInfo,
  type BuiltDocument,
  type Example,
  type Examples,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiOperation,
  problemType,
  type OpenApiParameter,
  type OpenApiResponse,
} from './route-contract';
import type { RegisteredRoute, ReplyContract, RouteContract } from './route-contract';
import { problems, type ProblemCode } from '@sluice/errors';
import * as types from '@sluice/types';
import {
  apiProblemSchema,
  inputValidationProblemSchema,
  parameterMeanings,
  type Admission,
  type JsonSchema,
} from '@sluice/types';
import { validate } from '../route';
import { sampleOf } from './sample';

/** Of the API, not of the program. Source: specification, Versioning. */
const version = '1.0.0';
/** All paths of the API begin with it; it is part of the base URL. */
const basePath = '/v1';

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of the project.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key, or a signed token of the project.' },
};

/** The OpenAPI document of what is registered. */
export function buildDocument(api: ApiInfo, routes: readonly RegisteredRoute[]): BuiltDocument {
  const components = new Components();
  const written: Record<string, Record<string, OpenApiOperation>> = {};
  const undeclared: string[] = [];
  for (const route of routes) {
    if (route.contract?.isInternal === true) continue;
    const operation = buildOperation(route, components);
    const path = documentPath(route.path);
    if (operation === undefined) undeclared.push(`${route.method.toUpperCase()} ${path}`);
    else (written[path] ??= {})[route.method] = operation;
  }
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: { title: api.title, version, description: api.description },
    servers: [{ url: basePath }],
    tags: api.tags,
    paths: written,
    components: { schemas: components.schemas, examples: components.problems, securitySchemes },
  };
  return { document, undeclared };
}

/** `/v1/projects/:id/connections\\:generate` is `/projects/{id}/connections:generate`. */
function documentPath(path: string): string {
  const named = path.replace(/(\\)?:(\w+)/g, (_match, escaped, name: string) => (escaped ? `:${name}` : `{${name}}`));
  return named.startsWith(`${basePath}/`) ? named.slice(basePath.length) : named;
}

/** The operation of a route; undefined when the route does not say what it is or what it answers. */
function buildOperation(route: RegisteredRoute, components: Components): OpenApiOperation | undefined {
  const { contract } = route;
  const { operationId, summary, description, tags, replies, scopes, body } = contract ?? {};
  if (operationId === undefined || summary === undefined || tags === undefined || replies === undefined)
    return undefined;
  const parameters = parametersOf(route);
  const written = Object.entries(replies).map(([status, reply]) => {
    return [status, responseOf(reply, components)] as const;
  });
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    security: route.isAuthenticated ? [{ apiKey: [] }, { bearer: [] }] : [],
    ...(scopes && { 'x-scopes': admissionsOf(scopes) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyContent(body, contract ?? {}, components) } }),
    responses: withProblems(Object.fromEntries(written), problemCodes(route), components),
  };
}

/** As scopeCheck reads them: a key with `full` passes wherever keys do. */
function admissionsOf(scopes: readonly Admission[]): readonly Admission[] {
  const isForKeys = scopes.some((scope) => scope !== 'admin' && scope !== 'token');
  return isForKeys ? [...new Set<Admission>([...scopes, 'full'])] : scopes;
}

function parametersOf({ path, contract }: RegisteredRoute): OpenApiParameter[] {
  const ofPath = pathNames(path).map((name) => parameter('path', name, { schema: { type: 'string' }, required: true }));
  const required = (contract?.query?.['required'] ?? []) as readonly string[];
  const ofQuery = Object.entries(propertiesOf(contract?.query)).map(([name, schema]) =>
    parameter('query', name, { schema, required: required.includes(name) }),
  );
  const ofHeaders = Object.entries(contract?.requestHeaders ?? {}).map(([name, schema]) =>
    parameter('header', name, { schema, required: false }),
  );
  return [...ofPath, ...ofQuery, ...ofHeaders];
}

function parameter(
  where: OpenApiParameter['in'],
  name: string,
  { schema, required }: { readonly schema: JsonSchema; readonly required: boolean },
): OpenApiParameter {
  const meaning = parameterMeanings[name];
  const { description, ...rest } = schema;
  return {
    name,
    in: where,
    required,
    description: typeof description === 'string' ? description : (meaning?.description ?? ''),
    schema: rest,
    ...(meaning && (where === 'path' || (required && rest['type'] === 'string')) && { example: meaning.example }),
  };
}

function responseOf({ description, contentType, schema, headers }: ReplyContract, components: Components) {
  const described = Object.entries(headers ?? {}).map(
    ([name, header]) => [name, { ...header, schema: { type: 'string' } }] as const,
  );
  const response: OpenApiResponse = {
    description,
    ...(headers && { headers: Object.fromEntries(described) }),
    ...(contentType !== undefined && { content: { [contentType]: shown(schema ?? {}, components) } }),
  };
  return response;
}

/** The replies, and a problem document for each status that one of these codes has. */
function withProblems(
  replies: Readonly<Record<string, OpenApiResponse>>,
  codes: readonly ProblemCode[],
  components: Components,
): Record<string, OpenApiResponse> {
  const responses = { ...replies };
  for (const status of new Set(codes.map((code) => problems[code].status))) {
    const own = codes.filter((code) => problems[code].status === status);
    const reply: OpenApiResponse = responses[status] ?? { description: 'A problem.' };
    const examples = Object.fromEntries(own.map((code) => [code, components.referToProblem(code)]));
    const content = { ...reply.content, [problemType]: { schema: problemSchema(status, components), examples } };
    responses[status] = { ...reply, 'x-problem-codes': own, content };
  }
  return responses;
}

/** A request error may have a list of issues. */
function problemSchema(status: number, components: Components): JsonSchema {
  const plain = components.refer(apiProblemSchema) as JsonSchema;
  if (status >= 500) return plain;
  return { anyOf: [components.refer(inputValidationProblemSchema), plain] };
}

/** Every problem a route can return: those implied by its registration, and those it declares. */
function problemCodes({ path, isAuthenticated, contract }: RegisteredRoute): ProblemCode[] {
  const codes = new Set<ProblemCode>([
    'request.invalid',
    'service.unavailable',
    'service.overloaded',
    'service.defect',
  ]);
  if (isAuthenticated) for (const code of callerProblems) codes.add(code);
  if (contract?.scopes) codes.add('auth.scope-missing');
  if (contract?.body) for (const code of bodyProblems) codes.add(code);
  for (const name of pathNames(path)) {
    const code = parameterMeanings[name]?.notFound;
    if (code !== undefined) codes.add(code);
  }
  for (const code of contract?.problems ?? []) codes.add(code);
  return [...codes].toSorted();
}

/** Of who asks, and how often. */
const callerProblems = ['auth.missing', 'auth.invalid', 'request.rate-limited'] as const;

/** Of reading a JSON body, whatever it is for. */
const bodyProblems = [
  'request.malformed-json',
  'write.number-not-exact',
  'request.body-too-large',
  'request.content-type',
  'request.timeout',
] as const;

/** Names of the parameters in an Express path; an escaped colon is none. */
function pathNames(path: string): string[] {
  return [...path.matchAll(/(?<!\\):(\w+)/g)].map(([, name]) => name ?? '');
}

function propertiesOf(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  return (schema?.['properties'] ?? {}) as Record<string, JsonSchema>;
}

/** @throws ValidationError for an example that the schema refuses: when the service starts, and so in every test of it */
function bodyContent(body: JsonSchema, { examples }: RouteContract, components: Components) {
  const content = shown(body, components, examples);
  const values = [content.example, ...Object.values(examples ?? {}).map(({ value }) => value)];
  for (const value of values.filter((one) => one !== undefined)) validate(body)(value);
  return { 'application/json': content };
}

/** A schema with its examples: those that are given, else one of each of its alternatives, else one. */
function shown(schema: JsonSchema, components: Components, given?: Examples): OpenApiContent {
  const content = { schema: components.refer(schema) as JsonSchema };
  const examples = given ?? alternativesOf(schema);
  return examples ? { ...content, examples } : { ...content, example: sampleOf(schema, {}) };
}

/** A value of each shared schema that a value may have. */
function alternativesOf({ anyOf, oneOf }: JsonSchema): Examples | undefined {
  const schemas = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (!schemas?.every((one) => names.has(one))) return undefined;
  const named = schemas.map((one): [string, Example] => {
    const name = names.get(one) ?? '';
    const summary = String(one['description']);
    return [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, { summary, value: sampleOf(one, {}) }];
  });
  return Object.fromEntries(named);
}

/** A problem document as `presentProblem` makes it; `detail` is the title, for want of a request. */
function problemExample(code: ProblemCode): Example {
  const { status, title, remedy } = problems[code];
  const requestId = '6f1c0f6e-6f0e-4c37-9b1c-0d5a4ad0f1f2';
  const time = '2026-11-20T10:05:00.120Z';
  const isLater = remedy.includes('Retry-After');
  const value = {
    type: `/problems/${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: requestId,
    code,
    requestId,
    time,
    retryable: isLater,
    ...(isLater && { retryAfter: '2026-11-20T10:05:10.120Z' }),
    remedy,
  };
  const issues = [{ in: 'body', name: 'type', detail: 'must be one of "create", "update", "delete"', value: 'creat' }];
  return { summary: title, value: code === 'request.invalid' ? { ...value, issues } : value };
}

/** Shared schemas by identity: `connectionSchema` of the types lib is the component `Connection`. */
const names = new Map<object, string>(
  Object.entries(types).flatMap(([name, value]): [object, string][] =>
    name.endsWith('Schema') && typeof value === 'object' ? [[value, componentName(name)]] : [],
  ),
);

const describing = ['properties', 'additionalProperties', 'anyOf', 'oneOf'];

/** The components of one document: what its schemas share is written once, and referred to. */
class Components {
  private readonly used = new Map<string, unknown>();
  private readonly codes = new Set<ProblemCode>();

  referToProblem(code: ProblemCode): { readonly $ref: string } {
    this.codes.add(code);
    return { $ref: `#/components/examples/${code}` };
  }

  /** A problem document of each code that was referred to. */
  get problems(): Examples {
    return Object.fromEntries([...this.codes].toSorted().map((code) => [code, problemExample(code)]));
  }

  /** The schema in the document. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const name = names.get(schema);
    if (name === undefined) return this.copy(schema);
    if (!this.used.has(name)) {
      this.used.set(name, undefined);
      this.used.set(name, this.copy(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All that was referred to, by name. */
  get schemas(): Record<string, JsonSchema> {
    const sorted = [...this.used].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted) as Record<string, JsonSchema>;
  }

  /**
   * `writeOnly` marks what is never shown unasked. OpenAPI would read it as "never in a reply", which is not so for a connection whose credentials
   * are asked for. `format: password` says what is meant: hide it on a screen.
   */
  private copy(schema: object): object {
    const members = Object.entries(schema).map(([key, value]): [string, unknown] => [key, this.refer(value)]);
    const copied: Record<string, unknown> = Object.fromEntries(members);
    // Generators make a type without members of an object that names none and does not say that it may have any.
    if (copied['type'] === 'object' && !describing.some((keyword) => keyword in copied)) {
      return { ...copied, additionalProperties: true };
    }
    if (copied['writeOnly'] !== true || copied['type'] !== 'string') return copied;
    const { writeOnly: _writeOnly, ...rest } = copied;
    return { ...rest, format: 'password' };
  }
}

function componentName(exported: string): string {
  const name = exported.slice(0, -'Schema'.length);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
