import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { DependencyError, type ProblemCode } from '@sluice/errors';
import { createByteBudget, heapShare, type ByteBudget, type HeldBytes } from '@sluice/telemetry';
import { discardRest } from './read-body';
import { InboundError, presentProblem } from './problem-handler';

/**
 * Bytes of bodies that a process holds at once, from before they are read until their requests are answered. A body costs several times
 * its size: its text, its parsed value, the plans made of it and what is sent of them.
 */
export interface ServedRoom {
  readonly small: ByteBudget;
  readonly large: ByteBudget;
  /** What replies may take that are made of rows or of a provider's answer, until they are sent. */
  readonly replies: ByteBudget;
}

/** Bodies up to this size have a room of their own, so that no large one holds them up. */
export const smallBytesMax = 65_536;
/**
 * Of the heap: a write of 4.8 MB was seen to take 45 MB of a gateway until its reply (tests/memory), nine times its room; large bodies of all
 * callers fill a third of the heap so.
 */
const shares = { large: 24, small: 32, replies: 12 };
/** Longest wait for room. Most clients give up after 30 s, and the request has still to be worked on. */
const waitMs = 5_000;
const retryAfterMs = 2_000;

export function createServedRoom(): ServedRoom {
  const budgetOf = (share: number): ByteBudget => createByteBudget(heapShare(share));
  return { small: budgetOf(shares.small), large: budgetOf(shares.large), replies: budgetOf(shares.replies) };
}

/**
 * Takes room for the body that a request announces, before a byte of it is read. One that announces none is taken for a small one until it is
 * larger: then `growBodyRoom`.
 * @param held of the request, whose owner gets half of the room at most
 * @throws DependencyError 503 with `Retry-After` when there is none in time
 */
export async function takeBodyRoom(
  { small, large }: ServedRoom,
  req: IncomingMessage,
  { bytesMax, held }: { readonly bytesMax: number; readonly held: HeldBytes },
): Promise<void> {
  const announced = req.headers['content-length'];
  const bytes = announced === undefined ? Math.min(smallBytesMax, bytesMax) : Number(announced);
  // Refused by its size in a moment.
  if (bytes > bytesMax) return;
  if (await take(isLargeBody(bytes) ? large : small, bytes, held)) return;
  discardRest(req);
  throw noBodyRoom(bytes);
}

/** Room for as much as is allowed, for a body that announced nothing and is not small. @throws as `takeBodyRoom` */
export async function growBodyRoom({ large }: ServedRoom, bytesMax: number, held: HeldBytes): Promise<void> {
  if (!(await take(large, bytesMax, held))) throw noBodyRoom(bytesMax);
}

/** The same for a reply. @throws DependencyError 503 with `Retry-After` when there is no room in time */
export async function takeReplyRoom({ replies }: ServedRoom, bytes: number, held: HeldBytes): Promise<void> {
  if (await take(replies, bytes, held)) return;
  const detail = 'The service holds as many bytes of replies as its memory allows. Nothing was read.';
  throw noRoom(detail, 'ask for less at the same time, or for smaller pages');
}

/** Whether the body is one of those that hold the event loop while they are parsed. */
export function isLargeBody(bytes: number): boolean {
  return bytes > smallBytesMax;
}

async function take(budget: ByteBudget, bytes: number, held: HeldBytes): Promise<boolean> {
  return budget.takeNow(bytes, held) || (await budget.take(bytes, performance.now() + waitMs, held));
}

function noBodyRoom(bytes: number): DependencyError {
  const detail = `The service holds as many bytes of bodies as its memory allows, and this one has ${bytes}. Nothing of it was kept.`;
  return noRoom(detail, 'send fewer large bodies at the same time');
}

function noRoom(detail: string, advice: string): DependencyError {
  const remedy = `Send the request again as long after as Retry-After says; ${advice}.`;
  return new DependencyError({ code: 'service.unavailable', detail, retryAfterMs, remedy });
}

const reasons: Record<string, readonly [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['request.invalid', 'The headers are larger than 16 KB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['request.body-too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request.timeout', 'The request did not arrive in time.'],
};

/**
 * Answers bytes that are no HTTP request (or one that came too slowly) with a problem document, and hangs up.
 * These never reach Express. A reply that has begun is cut instead: more bytes would corrupt it.
 */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Socket, hasBegun: boolean): void {
  if (!socket.writable || hasBegun || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [code, detail] = reasons[error.code ?? ''] ?? [
    'request.invalid',
    'The bytes are not a valid HTTP/1.1 request.',
  ];
  const { document } = presentProblem(new InboundError({ code, detail }), randomUUID());
  const body = JSON.stringify(document);
  const head = [
    `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
