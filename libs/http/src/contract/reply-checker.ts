import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { apiProblemSchema, inputValidationProblemSchema, type JsonSchema } from '@sluice/types';
import type { RequestHandler, Response } from 'express';
import { DefectError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import { presentProblem } from '../problem-handler';
import { localsOf } from '../request-state';
import { problemType, type OpenApiDocument, type OpenApiResponse } from './route-contract';
import type { BuiltDocument } from './build-document';

/** A reply as it goes over the wire, and the operation it answers. */
export interface ReplyToCheck {
  readonly method: string;
  /** Path template of the document; undefined for a path that is in none. */
  readonly path: string | undefined;
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
  return (reply) => {
    const operation = reply.path === undefined ? undefined : document.paths[reply.path]?.[methodOf(reply)];
    const isProblem = reply.contentType?.startsWith(problemType) === true;
    if (operation === undefined && !isProblem) return undefined;
    const expected = operation?.responses[reply.status];
    if (isProblem && operation === undefined) {
      return reply.method === 'HEAD' ? undefined : bodyFault(anyProblem, reply.text);
    }
    if (expected === undefined) return `status ${reply.status} is not among the replies`;
    return headFault(expected, reply) ?? contentFault(expected, reply, bodyFault) ?? codeFault(expected, reply);
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

/** Asked by HEAD, an operation of GET answers with the same head. */
function methodOf({ method }: ReplyToCheck): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}

function headFault(expected: OpenApiResponse, { hasHeader }: ReplyToCheck): string | undefined {
  const required = Object.entries(expected.headers ?? {}).filter(([, header]) => header.required === true);
  const missing = required.find(([name]) => !hasHeader(name));
  return missing === undefined ? undefined : `the header ${missing[0]} is missing`;
}

function contentFault(
  { content }: OpenApiResponse,
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
function codeFault({ 'x-problem-codes': codes }: OpenApiResponse, reply: ReplyToCheck): string | undefined {
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

/**
 * Checks every reply just before it leaves. One that violates the document becomes a 500 that describes how: the test that caused it
 * fails, and so does whoever calls a staging system.
 */
export function checkReplies({ document, paths }: BuiltDocument, logger: Logger): RequestHandler {
  let checker: ReplyChecker | undefined;
  return (req, res, next) => {
    const end = res.end.bind(res) as (chunk?: unknown, ...rest: unknown[]) => Response;
    res.end = ((chunk?: unknown, ...rest: unknown[]) => {
      if (res.headersSent) return end(chunk, ...rest);
      checker ??= createReplyChecker(document);
      const { route } = localsOf(res);
      const fault = checker({
        method: req.method,
        path: route === undefined ? undefined : paths.get(`${methodName(req.method)} ${route}`),
        status: res.statusCode,
        contentType: res.getHeader('content-type')?.toString(),
        hasHeader: (name) => res.hasHeader(name),
        text: typeof chunk === 'string' ? chunk : '',
      });
      if (fault === undefined) return end(chunk, ...rest);
      logger.error({ method: req.method, route, status: res.statusCode, fault }, 'http.contract-broken');
      return end(asDefect(res, `The reply ${res.statusCode} breaks the contract: ${fault}.`));
    }) as typeof res.end;
    next();
  };
}

function asDefect(res: Response, detail: string): string {
  const error = new DefectError({ code: 'service.defect', detail });
  const { document } = presentProblem(error, localsOf(res).requestId);
  const text = JSON.stringify({ ...document, detail });
  res.statusCode = document.status;
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  return text;
}

const methodName = (method: string): string => (method === 'HEAD' ? 'get' : method.toLowerCase());
