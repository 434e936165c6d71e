import type { Request, RequestHandler, Response } from 'express';
import type { Admission, JsonSchema, Caller } from '@sluice/types';
import { childTraceparent, type HeldBytes } from '@sluice/telemetry';
import { stateOf } from './app-state';
import { declareContract, type RouteDescription } from './contract/route-contract';
import { hasBody, type BodyLimits, readBytes, type BytesBody } from './read-body';
import { readJson } from './read-json';
import type { JsonBounds } from './scan-json';
import { readQuery, validate } from './validate';
import { callerOf, scopeCheck, heldOf, localsOf } from './authenticator';
import { growBodyRoom, smallBytesMax, takeBodyRoom, takeReplyRoom } from './served-room';
import { sendJson, cutUnread, sendStream } from './send-reply';

/** What a route answers. Problems are thrown, not returned. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  /** JSON; no content when absent. */
  readonly body?: unknown;
  /** In place of a JSON body; sent as it is. */
  readonly text?: { readonly contentType: string; readonly content: string };
  /** In place of `body`: the text of a JSON value in pieces, for what is too large to stand in memory. See `jsonText`. */
  readonly stream?: Iterable<string> | AsyncIterable<string>;
  /** In place of a JSON body: a file of ours. */
  readonly file?: FileBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route is called, asks and answers (the OpenAPI document is made of it), and what it does. */
export interface RouteOptions<P extends RouteParts> extends RouteDescription {
  /**
   * A key passes with one of these, or with `full`; `admin` is the bootstrap key. With `token` the handler sees to it that
   * a bearer token gets at its group only. Absent: any caller, or none.
   */
  readonly scopes?: readonly Admission[];
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  /** Absent: the body is not read. */
  readonly body?: JsonSchema;
  /** @default the app's limit */
  readonly bodyBytesMax?: number;
  /** What of a JSON body is refused before it is parsed. @default its size alone */
  readonly bodyBounds?: JsonBounds;
  /**
   * Bytes that a reply may have, where that is more than some kB: many of them at once wait, and then are 503. @default not counted
   */
  readonly replyBytesMax?: number;
  /** In place of a JSON body: one that is taken as it is. The document says nothing of it, so such a route is internal. */
  readonly bytes?: BytesBody;
  readonly handle: (request: RouteRequest<P>) => Promise<Reply> | Reply;
}

/**
 * A handler that checks before it works: scope, then path and query, then the body, so that nobody without the right
 * makes us read a body. All schemas are compiled here, at start.
 */
export function route<P extends RouteParts>(o: RouteOptions<P>): RequestHandler {
  const readParts = partsReader(o);
  const check = o.scopes && scopeCheck(o.scopes);
  const handler: RequestHandler = async (req, res) => {
    check?.(callerOf(res));
    const read = readParts(req, res);
    // Only a body has to be waited for.
    const parts = read instanceof Promise ? await read : read;
    if (o.replyBytesMax !== undefined) await takeReplyRoom(stateOf(req.app).room, o.replyBytesMax, heldOf(res));
    const reply = await o.handle(new RouteRequest(req, res, parts));
    setHeaders(res, reply);
    if (reply.stream) await sendStream(res, reply.status ?? 200, reply.stream);
    else send(res, reply);
    cutUnread(res);
  };
  return declareContract(handler, o);
}

function setHeaders(res: Response, { headers }: Reply): void {
  if (headers) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

function send(res: Response, { status, body, text, file }: Reply): void {
  if (file) sendFile(res, status ?? 200, file);
  else if (text) sendText(res, status ?? 200, text);
  else sendJson(res, status ?? (body === undefined ? 204 : 200), body);
}

const noContent = Buffer.alloc(0);

function partsReader<P extends RouteParts>(
  o: RouteOptions<P>,
): (req: Request, res: Response) => CheckedParts<P> | Promise<CheckedParts<P>> {
  const params = o.params && validate<P['params']>(o.params, 'path');
  const query = o.query && validate<P['query']>(o.query, 'query');
  const body = o.body && validate<P['body']>(o.body, 'body');
  const readHead = (req: Request) => {
    const sentQuery = readQuery(req);
    return {
      params: params ? params({ ...req.params }) : req.params,
      query: query ? query(sentQuery) : sentQuery,
    };
  };
  const { bytes } = o;
  if (bytes) {
    return async (req, res) => {
      const head = readHead(req);
      const growth = await takeRoom(req, res, bytes.bytesMax);
      const content = await readBytes(req, bytes, growth);
      return { ...head, body: undefined, bodyBytes: content.length, bodyContent: content };
    };
  }
  if (!body) {
    return (req) => ({ ...readHead(req), body: undefined, bodyBytes: 0, bodyContent: noContent });
  }
  return async (req, res) => {
    const head = readHead(req);
    const bytesMax = o.bodyBytesMax ?? stateOf(req.app).bodyBytesMax;
    const growth = await takeRoom(req, res, bytesMax);
    const sent = await readJson(req, { bytesMax, bounds: o.bodyBounds, growth });
    return { ...head, body: body(sent.value), bodyBytes: sent.bytes, bodyContent: noContent };
  };
}

/** @returns how one that announces no size gets more */
async function takeRoom(req: Request, res: Response, bytesMax: number): Promise<BodyLimits['growth']> {
  if (!hasBody(req)) return undefined;
  const { room } = stateOf(req.app);
  const held = heldOf(res);
  await takeBodyRoom(room, req, { bytesMax, held });
  if (req.headers['content-length'] !== undefined) return undefined;
  return { beyondBytes: smallBytesMax, takeRoom: () => growBodyRoom(room, bytesMax, held) };
}

/** Answers with a text or a page, as it is. */
function sendText(
  res: Response,
  status: number,
  { contentType, content }: { readonly contentType: string; readonly content: string },
): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(content));
  res.end(res.req.method === 'HEAD' ? undefined : content);
}

/** A body that is sent as it is, byte for byte. */
interface FileBody {
  /** Whole, with its charset. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** Answers with a file of ours. Its encoding and caching stand in the reply's headers. */
function sendFile(res: Response, status: number, { contentType, content }: FileBody): void {
  res.statusCode = status;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Length', content.length);
  res.end(res.req.method === 'HEAD' ? undefined : content);
}

/** Types of the checked parts of a request; a part that is left out is taken as it comes. */
export interface RouteParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The parts of a request after their checks. */
export interface CheckedParts<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
  readonly body: P['body'];
  /** Size of the body in bytes. */
  readonly bodyBytes: number;
  /** The body of a route that takes `bytes`; empty for every other. */
  readonly bodyContent: Buffer;
}

/** One request as a route's handler sees it: checked, and without Express. */
export class RouteRequest<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
  readonly body: P['body'];
  /** See CheckedParts. */
  readonly bodyBytes: number;
  readonly bodyContent: Buffer;
  private leaving: AbortController | undefined;

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    parts: CheckedParts<P>,
  ) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.bodyBytes = parts.bodyBytes;
    this.bodyContent = parts.bodyContent;
  }

  /** Who asks. @throws DefectError when the app has no authenticator */
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

  /** Place of this request in its trace, which is the caller's, or a new one. */
  get traceparent(): string {
    return localsOf(this.res).step?.traceparent ?? childTraceparent(this.header('traceparent'));
  }

  /** Takes what the request holds of budgets until its reply is done. */
  get held(): HeldBytes {
    return heldOf(this.res);
  }

  /** Aborts when the caller leaves before the reply. Not for work that must end once begun. */
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
