import { Ajv, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Request, RequestHandler, Response } from 'express';
import { ValidationError, type Issue, type ProblemCode } from '@sluice/errors';
import { type Admission, type Caller, type JsonBounds, type JsonSchema, limits } from '@sluice/types';
import { childTraceparent, HeldBytes } from '@sluice/telemetry';
import { scopeCheck } from './authenticator';
import { type RouteDescription, type RouteHandler, withContract } from './contract/route-contract';
import { toIssues } from './issues';
import { readBytes, type BytesBody, readJson, takeReplyMemory, type BodyLimits, type NoMemory } from './read-body';
import { callerOf, heldOf, localsOf, stateOf } from './request-state';
import { cutUnread, sendContent, sendJson, sendStream } from './send-reply';

/** What a route answers. Problems are thrown, not returned. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  /** JSON; no content when absent. */
  readonly body?: unknown;
  /** Instead of a JSON body; sent unchanged. */
  readonly text?: { readonly contentType: string; readonly content: string };
  /** Instead of `body`: the text of a JSON value in chunks, for what is too large for memory. See `jsonText`. */
  readonly stream?: Iterable<string> | AsyncIterable<string>;
  /** Instead of a JSON body: bytes, with their whole content type. */
  readonly file?: { readonly contentType: string; readonly content: Buffer };
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

/** Description of a route (the OpenAPI document is made of it), its checks, and its handler. */
export interface RouteOptions<P extends RouteParts> extends RouteDescription {
  /**
   * A key passes with one of these, or with `full`; `admin` is the bootstrap key. With `token` the handler limits a
   * bearer token to its group. Absent: any caller, or none.
   */
  readonly scopes?: readonly Admission[];
  readonly query?: JsonSchema;
  /** Absent: the body is not read. */
  readonly body?: JsonSchema;
  /** Largest body. @default `limits.bodyBytesMax` */
  readonly bodyBytesMax?: number;
  /** What of a JSON body is refused before it is parsed. @default its size alone */
  readonly bodyBounds?: JsonBounds;
  /** Bytes that a reply may have, where that is more than some kB: beyond the memory's capacity they wait, then are 503. @default not counted */
  readonly replyBytesMax?: number;
  /** Instead of a JSON body: one that is read unparsed. It is not in the OpenAPI document, so such a route is internal. */
  readonly bytes?: BytesBody;
  /** What path, query or caller are refused for before the body is read: it is not there yet. */
  readonly admit?: (request: RouteRequest<P>) => unknown;
  readonly handle: (request: RouteRequest<P>) => Promise<Reply> | Reply;
}

/** Types of the checked parts of a request; a part that is left out is unchecked. */
export interface RouteParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

interface CheckedHead<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
}

interface CheckedBody<P extends RouteParts> {
  readonly value: P['body'];
  readonly bytes: number;
  readonly content: Buffer;
}

const noContent = Buffer.alloc(0);
const noBody = { value: undefined, bytes: 0, content: noContent };

/**
 * A handler that checks before it works: scope, then path and query, then the body, so that nobody without the right
 * makes us read a body.
 */
export function route<P extends RouteParts>(o: RouteOptions<P>): RouteHandler {
  const readHead = headReader(o);
  const readBody = bodyReader(o);
  const check = o.scopes && scopeCheck(o.scopes);
  const handler: RequestHandler = async (req, res) => {
    check?.(callerOf(res));
    const head = readHead(req);
    await o.admit?.(new RouteRequest(req, res, { head, body: noBody }));
    const body = readBody ? await readBody(req, res) : noBody;
    if (o.replyBytesMax !== undefined) await takeReplyMemory(stateOf(req.app).budgets, o.replyBytesMax, heldOf(res));
    const reply = await o.handle(new RouteRequest(req, res, { head, body }));
    if (reply.headers) for (const [name, value] of Object.entries(reply.headers)) res.setHeader(name, value);
    if (reply.cookies) res.setHeader('Set-Cookie', reply.cookies);
    if (reply.stream) await sendStream(res, reply.status ?? 200, reply.stream);
    else send(res, reply);
    cutUnread(res);
  };
  return withContract(handler, o);
}

function send(res: Response, { status, body, text, file }: Reply): void {
  if (file) sendContent(res, status ?? 200, file);
  else if (text) sendContent(res, status ?? 200, { ...text, contentType: `${text.contentType}; charset=utf-8` });
  else sendJson(res, status ?? (body === undefined ? 204 : 200), body);
}

function headReader<P extends RouteParts>(o: RouteOptions<P>): (req: Request) => CheckedHead<P> {
  const check = o.query && validate<P['query']>(o.query, 'query');
  return (req) => {
    const query = readQuery(req);
    return { params: req.params, query: check ? check(query) : query };
  };
}

type BodyReader<P extends RouteParts> = (req: Request, res: Response) => Promise<CheckedBody<P>>;

function bodyReader<P extends RouteParts>({ body, bytes, ...o }: RouteOptions<P>): BodyReader<P> | undefined {
  if (bytes) {
    return async (req, res) => {
      const content = await readBytes(req, bytes, memoryOf(req, res));
      return { value: undefined, bytes: content.length, content };
    };
  }
  const check = body && validate<P['body']>(body, 'body');
  if (!check) return undefined;
  return async (req, res) => {
    const bytesMax = o.bodyBytesMax ?? limits.bodyBytesMax;
    const sent = await readJson(req, { bytesMax, memory: memoryOf(req, res) }, o.bodyBounds);
    return { value: check(sent.value), bytes: sent.bytes, content: noContent };
  };
}

function memoryOf(req: Request, res: Response): NonNullable<BodyLimits['memory']> {
  return { budgets: stateOf(req.app).budgets, held: heldOf(res) };
}

/** One request as a route's handler sees it: checked, and without Express. */
export class RouteRequest<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
  readonly body: P['body'];
  /** Size of the body in bytes. */
  readonly bodyBytes: number;
  /** The body of a route that takes `bytes`; empty for every other. */
  readonly bodyContent: Buffer;
  private leaving: AbortController | undefined;
  private grown: HeldBytes | undefined;

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    { head, body }: { readonly head: CheckedHead<P>; readonly body: CheckedBody<P> },
  ) {
    this.params = head.params;
    this.query = head.query;
    this.body = body.value;
    this.bodyBytes = body.bytes;
    this.bodyContent = body.content;
  }

  /** Who sent it. @throws DefectError when the app has no authenticator */
  get caller(): Caller {
    return callerOf(this.res);
  }

  get requestId(): string {
    return localsOf(this.res).requestId;
  }

  /** Path and query as they were sent, from the root. */
  get url(): string {
    return this.req.originalUrl;
  }

  /** Position of this request in its trace: the caller's, or a new one. */
  get traceparent(): string {
    return localsOf(this.res).step?.traceparent ?? childTraceparent(this.header('traceparent'));
  }

  /** What the request holds of budgets until its reply is complete. */
  get held(): HeldBytes {
    return heldOf(this.res);
  }

  /** Takes memory for what the request grows to, such as plans, until its reply is complete. @returns false when there is none now */
  growNow(bytes: number): boolean {
    this.grown ??= this.held.adopt(new HeldBytes(...this.held.owners));
    return stateOf(this.req.app).budgets.replies.takeNow(bytes, this.grown);
  }

  /**
   * Waits for such memory, in place of what it took before: nobody waits for memory that another holds who waits.
   * @param bytes all that it may grow to
   * @throws DependencyError 503 with `Retry-After` when there is none in time
   */
  async growTo(bytes: number, what: NoMemory): Promise<void> {
    this.grown?.end();
    this.grown = this.held.adopt(new HeldBytes(...this.held.owners));
    await takeReplyMemory(stateOf(this.req.app).budgets, bytes, this.grown, what);
  }

  /** Aborts when the caller leaves before the reply. Not for work that must be completed once begun. */
  get signal(): AbortSignal {
    if (!this.leaving) {
      const leaving = new AbortController();
      this.leaving = leaving;
      this.res.once('close', () => {
        if (!this.res.writableFinished) leaving.abort();
      });
    }
    return this.leaving.signal;
  }

  /** Value of a request header, any case; undefined when absent, '' when it was sent without a value. */
  header(name: string): string | undefined {
    const value = this.req.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}

/** Gives the value back as `T`, or throws ValidationError. */
export type Validate<T> = (value: unknown) => T;

/** A value of more parts than this is checked up to its first fault only: a list of all costs its sender nothing. */
const partsMax = 5_000;

const settings: Options = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  // Of the sandbox's faults: the errors are those of the branch that is meant.
  discriminator: true,
  verbose: true,
  // Our schemas are held to the draft by tests (schemas.test.ts), not by each process that starts.
  meta: false,
  validateSchema: false,
};

const validators = { first: createAjv(false), all: createAjv(true) };

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({ ...settings, allErrors });
  addFormats.default(ajv);
  return ajv;
}

/**
 * A check by a schema (draft 7, no references to other documents). Made once per schema when the service starts, and compiled when the first value
 * comes. An instance serves few of management's routes, and all of them would be a sixth of its start and 8 MB (docker/README.md).
 * @param where part of the request, for the issues. Body values keep their types; everything else arrives as text and becomes a
 * whole number or a boolean where the schema asks for one. @default 'body'
 * @returns a check that throws ValidationError `request.invalid` with up to `limits.issuesMax` issues. Each has a path (`batch[3].record.id`), a
 * sentence, and the value where it is short and no secret.
 */
export function validate<T>(schema: JsonSchema, where: Issue['in'] = 'body'): Validate<T> {
  let check: ValidateFunction | undefined;
  const part = { where, mayNameSecrets: carriesSecrets(schema) };
  let checkAll: ValidateFunction | undefined;
  return (sent) => {
    const value = where === 'body' ? sent : coerceTexts(schema, sent);
    check ??= validators.first.compile(schema);
    if (check(value)) return value as T;
    const isSmall = countParts(value, partsMax) < partsMax;
    if (isSmall) checkAll ??= validators.all.compile(schema);
    const errors = isSmall && checkAll && !checkAll(value) ? checkAll.errors : check.errors;
    throw invalid(toIssues(errors ?? [], value, part));
  };
}

/** The error for issues found by hand, in the form of those found by a schema: it holds the first `limits.issuesMax` of them. */
export function invalid(
  issues: readonly Issue[],
  { code = 'request.invalid', remedy }: { readonly code?: ProblemCode; readonly remedy?: string | undefined } = {},
): ValidationError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const detail = first ? `${first.name} ${first.detail}${more}.` : 'The request breaks a rule.';
  return new ValidationError({
    code,
    detail: detail.replace(/\?\.$/, '?'),
    issues: issues.slice(0, limits.issuesMax),
    remedy,
  });
}

/** Whether a value of this schema holds secrets, at any depth. */
function carriesSecrets(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return (schema as JsonSchema)['writeOnly'] === true || Object.values(schema).some(carriesSecrets);
}

function countParts(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    if (count >= max) return count;
    count += countParts(inner, max - count);
  }
  return count;
}

/** One spelling per number, that of JSON: `Number()` would also take `0x5`, `1e1` and blanks. */
const wholeNumber = /^(0|-?[1-9]\d*)$/;

/**
 * What arrives as text (query, path) with its whole numbers and booleans turned into those, where the schema asks for them.
 * Any other text stays one, so that the schema refuses it.
 */
function coerceTexts(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema | undefined>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      coerce(Object.hasOwn(properties, name) ? properties[name] : {}, text),
    ]),
  );
}

function coerce(schema: JsonSchema | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (schema?.['type'] === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (schema?.['type'] !== 'integer' || !wholeNumber.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/**
 * The query as plain texts. A name given twice has no one meaning, so it is refused.
 * @throws ValidationError with an issue per repeated name
 */
function readQuery(req: Request): Record<string, string> {
  if (!req.url.includes('?')) return {};
  // Express parses anew at each read of `query`.
  const query = Object.entries(req.query);
  const repeated = query.filter(([, value]) => typeof value !== 'string');
  if (repeated.length > 0) {
    throw invalid(repeated.map(([name]) => ({ in: 'query', name, detail: 'is given more than once' })));
  }
  return Object.fromEntries(query) as Record<string, string>;
}
