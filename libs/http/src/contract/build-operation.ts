import { problems, type ProblemCode } from '@sluice/errors';
import {
  apiProblemSchema,
  inputValidationProblemSchema,
  parameterMeanings,
  type Admission,
  type JsonSchema,
} from '@sluice/types';
import { validate } from '../validate';
import type { Components } from './components';
import { problemType, type OpenApiOperation, type OpenApiParameter, type OpenApiResponse } from './openapi';
import type { RegisteredRoute, ReplyContract } from './route-contract';

/** The operation of a route; undefined when the route does not say what it is or what it answers. */
export function buildOperation(route: RegisteredRoute, components: Components): OpenApiOperation | undefined {
  const { contract } = route;
  const { operationId, summary, description, tags, replies, scopes, body } = contract ?? {};
  if (operationId === undefined || summary === undefined || tags === undefined || replies === undefined)
    return undefined;
  const parameters = parametersOf(route);
  const written = Object.entries(replies).map(([status, reply]) => [status, responseOf(reply, components)] as const);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    security: route.isAuthenticated ? [{ apiKey: [] }, { bearer: [] }] : [],
    ...(scopes && { 'x-scopes': admissionsOf(scopes) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyContent(body, contract?.example, components) } }),
    responses: withProblems(Object.fromEntries(written), problemCodes(route), components),
  };
}

/** As scopeCheck reads them: a key with `full` passes wherever keys do. */
function admissionsOf(scopes: readonly Admission[]): readonly Admission[] {
  const isForKeys = scopes.some((scope) => scope !== 'admin' && scope !== 'token');
  return isForKeys ? [...new Set<Admission>([...scopes, 'full'])] : scopes;
}

function parametersOf({ path, contract }: RegisteredRoute): OpenApiParameter[] {
  const ofPath = pathNames(path).map((name) => {
    const given = propertiesOf(contract?.params)[name];
    return parameter('path', name, { schema: given ?? { type: 'string' }, required: true });
  });
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
    ...(meaning && where === 'path' && { example: meaning.example }),
  };
}

function responseOf({ description, contentType, schema, headers }: ReplyContract, components: Components) {
  const shown = Object.entries(headers ?? {}).map(
    ([name, header]) => [name, { ...header, schema: { type: 'string' } }] as const,
  );
  const response: OpenApiResponse = {
    description,
    ...(headers && { headers: Object.fromEntries(shown) }),
    ...(contentType !== undefined && {
      content: { [contentType]: { schema: components.refer(schema) as JsonSchema } },
    }),
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
    const content = { ...reply.content, [problemType]: { schema: problemSchema(status, components) } };
    responses[status] = { ...reply, 'x-problem-codes': own, content };
  }
  return responses;
}

/** A list of issues may stand where the request is to blame. */
function problemSchema(status: number, components: Components): JsonSchema {
  const plain = components.refer(apiProblemSchema) as JsonSchema;
  if (status >= 500) return plain;
  return { anyOf: [components.refer(inputValidationProblemSchema), plain] };
}

/** Every problem a route can answer: what follows from how it is registered, and what it says itself. */
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
function bodyContent(body: JsonSchema, example: object | undefined, components: Components) {
  if (example) validate(body)(example);
  return { 'application/json': { schema: components.refer(body) as JsonSchema, ...(example && { example }) } };
}
