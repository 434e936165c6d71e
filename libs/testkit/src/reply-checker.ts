import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { OpenApiDocument, OpenApiOperation } from '@sluice/http';
import { apiProblemSchema, inputValidationProblemSchema, type JsonSchema } from '@sluice/types';

/** A reply as it came over the wire, and the request it answers. */
export interface ReplyToCheck {
  readonly method: string;
  /** With or without the base URL and the query: `/v1/projects/p1?x=1`, `/projects/{projectIdOrName}`. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly hasHeader: (name: string) => boolean;
  readonly text: string;
}

/** What breaks the contract, as a sentence; undefined when nothing does. */
export type ReplyChecker = (reply: ReplyToCheck) => string | undefined;

/**
 * Checks replies against a document: status, content type, headers that must be there, and body. Members that the document does
 * not name are faults too, although a caller must let them pass: here they are ours, and undocumented.
 */
export function createReplyChecker(document: OpenApiDocument): ReplyChecker {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addFormat('password', true).addVocabulary(['components', 'example']);
  const components = { schemas: closed(document.components.schemas) };
  const compiled = new Map<JsonSchema, ValidateFunction>();
  const bodyFault = (schema: JsonSchema, text: string): string | undefined => {
    const check = compiled.get(schema) ?? ajv.compile({ ...(closed(schema) as object), components });
    compiled.set(schema, check);
    return check(parse(text)) ? undefined : `the body breaks its schema: ${sentences(check.errors)}`;
  };
  const operationOf = operationFinder(document);
  return (reply) => {
    const operation = operationOf(reply);
    const isProblem = reply.contentType?.startsWith(problemType) === true;
    if (operation === undefined) {
      return isProblem && reply.method !== 'HEAD' ? bodyFault(anyProblem, reply.text) : undefined;
    }
    const expected = operation.responses[reply.status];
    if (expected === undefined) return `status ${reply.status} is not among the replies`;
    return headFault(expected, reply) ?? contentFault(expected, reply, bodyFault) ?? codeFault(expected, reply);
  };
}

/** For `expect` of supertest: throws when the reply breaks the contract. */
export function keepsContract(document: OpenApiDocument): (reply: SupertestReply) => void {
  const check = createReplyChecker(document);
  return ({ request, status, headers, text = '' }) => {
    const { method, url } = request;
    const contentType = headers['content-type'];
    const hasHeader = (name: string): boolean => headers[name.toLowerCase()] !== undefined;
    const fault = check({ method, path: new URL(url).pathname, status, contentType, hasHeader, text });
    if (fault !== undefined) throw new Error(`${method} ${url} answered ${status} ${text.slice(0, 500)}: ${fault}`);
  };
}

/** The members of a reply of supertest that are read. */
interface SupertestReply {
  readonly request: { readonly method: string; readonly url: string };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Source: RFC 9457. */
const problemType = 'application/problem+json';

/** Finds the operation of a request. Of two templates that fit, the one with more letters of its own is meant: `{id}:cancel`, not `{id}`. */
function operationFinder({ paths }: OpenApiDocument): (reply: ReplyToCheck) => OpenApiOperation | undefined {
  const fixed = (template: string): string => template.replace(/\{\w+\}/g, '');
  const templates = Object.keys(paths)
    .toSorted((one, other) => fixed(other).length - fixed(one).length)
    .map((template) => [new RegExp(`^(?:/v1)?${template.replace(/\{\w+\}/g, '[^/]+')}/?$`), template] as const);
  return ({ method, path }) => {
    const bare = path.split('?')[0] ?? '';
    // Asked by HEAD, an operation of GET answers with the same head.
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const [, template = ''] = templates.find(([pattern]) => pattern.test(bare)) ?? [];
    return paths[template]?.[name];
  };
}

function sentences(errors: readonly ErrorObject[] | null | undefined): string {
  const faults = (errors ?? []).map(({ instancePath, message, params }) => {
    const unknown = (params as { readonly additionalProperty?: string }).additionalProperty;
    return `${instancePath || '/'} ${message}${unknown === undefined ? '' : ` (${unknown})`}`;
  });
  return faults.join('; ');
}

/** For addresses and methods that no operation answers. */
const anyProblem: JsonSchema = { anyOf: [inputValidationProblemSchema, apiProblemSchema] };

type Response = OpenApiOperation['responses'][string];

function headFault(expected: Response, { hasHeader }: ReplyToCheck): string | undefined {
  const required = Object.entries(expected.headers ?? {}).filter(([, header]) => header.required === true);
  const missing = required.find(([name]) => !hasHeader(name));
  return missing === undefined ? undefined : `the header ${missing[0]} is missing`;
}

function contentFault(
  { content }: Response,
  { method, contentType, text }: ReplyToCheck,
  bodyFault: (schema: JsonSchema, text: string) => string | undefined,
): string | undefined {
  if (content === undefined) return text === '' ? undefined : 'there is a body where none is declared';
  const type = contentType?.split(';')[0] ?? '';
  const schema = content[type]?.schema;
  if (schema === undefined) return `content type ${type || 'none'} is not ${Object.keys(content).join(' or ')}`;
  if (method === 'HEAD' || !type.endsWith('json')) return undefined;
  return bodyFault(schema, text);
}

/** A code that the operation does not name for this status. */
function codeFault({ 'x-problem-codes': codes }: Response, reply: ReplyToCheck): string | undefined {
  if (codes === undefined || reply.method === 'HEAD' || reply.contentType?.startsWith(problemType) !== true)
    return undefined;
  const { code } = parse(reply.text) as { readonly code: string };
  return codes.includes(code) ? undefined : `the code ${code} is not among those of ${reply.status}`;
}

/** The schema with every object closed that names its members and is not a part of a union. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copied = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = ['$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in copied);
  if (isOpen || !('properties' in copied) || 'additionalProperties' in copied || copied['type'] !== 'object')
    return copied;
  return { ...copied, additionalProperties: false };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
