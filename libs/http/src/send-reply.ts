import type { RequestHandler, Response } from 'express';
import { yieldToEventLoop } from '@sluice/telemetry';

type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Headers of every reply that does not set them itself. Of the security headers of browsers those that mean something for JSON.
 * `no-store`: replies carry customers' data (ASVS 5.0, V14.3.2).
 */
export const replyHeaders: Headers = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Sent by the published browser client, and our own request headers. */
const requestHeaders = [
  'X-Api-Key',
  'Authorization',
  'Content-Type',
  'X-Amp-Client',
  'X-Amp-Client-Version',
  'X-Request-Id',
  'X-Sluice-Request-Type',
  'Idempotency-Key',
  'Sluice-Record-Ref',
  'Traceparent',
].join(', ');
const shownHeaders =
  'X-Request-Id, Retry-After, Link, Idempotent-Replayed, Sluice-Record-Index, Sluice-Record-Ref, Sluice-Warning';

/** Lets browsers of any origin call. Credentials travel in headers, so `*` gives nothing away. */
export const corsHeaders: Headers = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', shownHeaders],
];

/**
 * Answers preflights.
 * @param cookiePaths paths whose replies may set a cookie that no path of the API reads. A browser keeps it only when the
 *   origin is named and cookies are allowed.
 */
export function cors(cookiePaths: readonly string[] = []): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin !== undefined && cookiePaths.includes(req.path)) allowCookies(res, origin);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    res.setHeader('Access-Control-Allow-Headers', requestHeaders);
    // Two hours is the longest that Chromium keeps a preflight.
    res.setHeader('Access-Control-Max-Age', '7200');
    res.statusCode = 204;
    res.end();
  };
}

function allowCookies(res: Response, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Vary', 'Origin');
}

/** Up to this length a reply is sent whole, with its length, and checked where replies are checked. */
const wholeCharactersMax = 262_144;
/** Longest time in which a client reads nothing of a reply. What is not sent yet is in our memory. */
const unreadMs = 30_000;

/**
 * Longest time, in milliseconds, for sending a reply that is wholly in memory: 20 MB on a line of 3 Mbit/s. A client that reads a little every half
 * minute would otherwise hold it without end.
 */
const inMemoryMs = 60_000;

/**
 * Answers with JSON that need not be in memory at once: pieces of its text are made as fast as the client reads. A client that reads nothing for
 * 30 s is cut off. A failure before the first 256 kB is answered as any other; a later one breaks the connection, because the status has been sent.
 */
export async function sendStream(
  res: Response,
  status: number,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  // Pieces that are iterated without waiting are in memory already.
  if (Symbol.iterator in pieces) cutAfter(res, inMemoryMs);
  let text = '';
  for await (const piece of Symbol.iterator in pieces ? joined(pieces, res.writableHighWaterMark) : pieces) {
    text += piece;
    if (text.length < (res.headersSent ? res.writableHighWaterMark : wholeCharactersMax)) continue;
    if (!res.headersSent) res.status(status).setHeader('Content-Type', 'application/json');
    if (!res.write(text)) await drained(res);
    // Large replies take turns, with small ones between them.
    await yieldToEventLoop();
    // The caller left.
    if (res.destroyed) return;
    text = '';
  }
  if (!res.headersSent) {
    res.status(status).setHeader('Content-Type', 'application/json');
    sendText(res, text);
  } else res.end(text);
}

/** Pieces of at least this many characters: waiting for each of some hundred short ones costs more than making them. */
function* joined(pieces: Iterable<string>, charactersMin: number): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < charactersMin) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Ends a reply with a whole text and its length; a HEAD gets the length alone. */
function sendText(res: Response, text: string): void {
  const bytes = Buffer.byteLength(text);
  res.setHeader('Content-Length', bytes);
  if (res.req.method === 'HEAD') res.end();
  // ASCII only: the same bytes either way, and Node writes head and body faster as Latin-1.
  else res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

function cutAfter(res: Response, ms: number): void {
  const timer = setTimeout(() => res.destroy(), ms).unref();
  res.on('close', () => clearTimeout(timer));
}

/** Cuts off a client that does not read the rest of a complete reply. */
export function cutUnread(res: Response): void {
  if (res.writableLength <= res.writableHighWaterMark) return;
  cutAfter(res, unreadMs);
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      res.off('drain', end).off('close', end);
      resolve();
    };
    const timer = setTimeout(() => res.destroy(), unreadMs).unref();
    res.on('drain', end).on('close', end);
  });
}

/**
 * The text of a JSON list whose items arrive one by one.
 * @param around text before and after the items. @default a list alone
 */
export async function* listText(
  items: AsyncIterable<unknown>,
  [before, after]: readonly [string, string] = ['[', ']'],
): AsyncGenerator<string> {
  let separator = before;
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === before ? before + after : after;
}

/**
 * The text of a JSON value, in pieces: each member of the first levels of objects and lists by itself. Whatever can be iterated is a list, so that
 * items may be made on demand.
 */
export function* jsonText(value: unknown, levels = 3): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Symbol.iterator in value;
  let separator = isList ? '[' : '{';
  for (const [name, member] of isList ? numbered(value as Iterable<unknown>) : Object.entries(value)) {
    if (!isList && member === undefined) continue;
    yield isList ? separator : `${separator}${JSON.stringify(name)}:`;
    yield* jsonText(member, levels - 1);
    separator = ',';
  }
  if (separator !== ',') yield separator;
  yield isList ? ']' : '}';
}

function* numbered(items: Iterable<unknown>): Generator<[number, unknown]> {
  let at = 0;
  for (const item of items) yield [at++, item];
}

/** Answers with a text or with bytes, as they are. */
export function sendContent(
  res: Response,
  status: number,
  { contentType, content }: { readonly contentType: string; readonly content: string | Buffer },
): void {
  res.statusCode = status;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Length', Buffer.byteLength(content));
  res.end(res.req.method === 'HEAD' ? undefined : content);
}

/**
 * Answers with a JSON body. Cheaper than `res.json`: no etag, no freshness, no escaping passes.
 * @param body left out entirely (no content) when undefined
 */
export function sendJson(res: Response, status: number, body: unknown, contentType = 'application/json'): void {
  res.statusCode = status;
  if (body === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', contentType);
  sendText(res, JSON.stringify(body));
}
