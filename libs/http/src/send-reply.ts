import { ownTurn } from '@sluice/telemetry';
import type { Response } from 'express';

/** Up to here a reply is sent whole, with its length, and checked where replies are checked. */
const wholeCharactersMax = 262_144;
/** How long a client may take nothing of a reply. What is not sent yet stands in our memory. */
const unreadMs = 30_000;

/**
 * How long the sending of a reply may take that stands in memory meanwhile, in milliseconds: 20 MB on a line of 3 Mbit/s. Whoever takes a little
 * every half minute would else hold it, and the room that it takes, for as long as he likes.
 */
const inMemoryMs = 60_000;

/**
 * Answers with JSON that need not stand in memory at once: pieces of its text are asked for as fast as the client reads. Who reads nothing for
 * 30 s is cut off. A failure before the first 256 kB is answered as any other; a later one breaks the connection, because the status is out.
 */
export async function sendStream(
  res: Response,
  status: number,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  // What is iterated without waiting is there already.
  if (Symbol.iterator in pieces) cutAfter(res, inMemoryMs);
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < (res.headersSent ? res.writableHighWaterMark : wholeCharactersMax)) continue;
    if (!res.headersSent) res.status(status).setHeader('Content-Type', 'application/json');
    if (!res.write(text)) await drained(res);
    // Many large replies are made in turns, and small ones between them.
    await ownTurn();
    // The caller left: nobody asks for the rest.
    if (res.destroyed) return;
    text = '';
  }
  if (!res.headersSent) {
    res.status(status).setHeader('Content-Type', 'application/json');
    res.setHeader('Content-Length', Buffer.byteLength(text));
  }
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

function cutAfter(res: Response, ms: number): void {
  const timer = setTimeout(() => res.destroy(), ms).unref();
  res.on('close', () => clearTimeout(timer));
}

/** Cuts off who does not read the rest of a reply that has ended. */
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
 * The text of a JSON list whose items come one after the other.
 * @param around what stands before and after the items. @default a list alone
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
 * The text of a JSON value, in pieces: what a few levels of objects and lists hold, each by itself. What can be iterated is a list, so that items
 * may be made when they are asked for.
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
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Length', bytes);
  if (res.req.method === 'HEAD') res.end();
  // ASCII only: the same bytes either way, and Node writes head and body faster as Latin-1.
  else res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}
