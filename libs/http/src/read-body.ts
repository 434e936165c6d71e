import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DependencyError } from '@sluice/errors';
import { yieldToEventLoop, type ByteBudget, type HeldBytes } from '@sluice/telemetry';
import { type JsonBounds, countMembers, isAllWellFormed, scanJson, usualBounds } from '@sluice/types';
import { jsonRefusal } from './inspect-json';
import { InboundError } from './problem-handler';
import type { ByteBudgets } from './request-state';

export interface BodyLimits {
  readonly bytesMax: number;
  /** Longest time from the call to the last byte, in milliseconds. @default 10 000 */
  readonly timeoutMs?: number;
  /** What the body counts against before it is read. @default it is not counted */
  readonly memory?: { readonly budgets: ByteBudgets; readonly held: HeldBytes };
  /** What the sender of a larger one can do. @default that of `request.body-too-large` */
  readonly remedy?: string;
}

/** Bodies up to this size have a budget of their own. A larger one holds the event loop while it is parsed. */
const smallBytesMax = 65_536;
/** Longest wait for memory. Most clients give up after 30 s, and the request has still to be worked on. */
const waitMs = 5_000;
const retryAfterMs = 2_000;
/** A body that has been coming for so long gives way to other callers where it comes too slowly. */
const giveWayAfterMs = 2_000;
/** After a 413 the rest is thrown away, so that an ordinary client gets to read the reply; then the socket is cut. */
const discard = { bytesMax: 16_777_216, timeoutMs: 2_000 };

const json = /^application\/json[ \t]*(?:;(.*))?$/i;
const charset = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^\s;"]+)/i;

/** A parsed body. */
export interface JsonBody {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Reads one JSON document. Refused before any byte is read: no body, another content type, a compressed body, a
 * Content-Length over the limit, more than the memory has capacity for. For the rest see readBody and parseJson.
 * @throws InboundError 400, 408, 413, 415; ValidationError 400; DependencyError 503
 */
export async function readJson(req: IncomingMessage, limits: BodyLimits, bounds?: JsonBounds): Promise<JsonBody> {
  if (!hasBody(req)) throw malformed('The body is empty; this endpoint needs a JSON document.');
  checkEncoding(req.headers['content-encoding']);
  checkJsonType(req.headers['content-type']);
  const body = await readBody(req, limits);
  if (body.length > smallBytesMax) await yieldToEventLoop();
  const text = body.toString('utf8');
  // Broken bytes become replacement characters, which are rare: most bodies are not checked twice.
  if (text.includes('\uFFFD') && !isUtf8(body)) throw malformed('The body is not encoded as UTF-8.');
  return { value: parseJson(text, bounds), bytes: body.length };
}

/**
 * JSON.parse that refuses what it would silently change or what would hurt later. That is repeated names, names that reach a prototype, names with
 * NUL, and numbers that a double cannot carry. It also refuses more than 1 000 members in an object and more than 32 levels.
 * @param bounds what is refused before it is parsed, because of what parsing and planning it would cost. @default 100 000 values
 * @throws InboundError `request.malformed-json`, with line and column
 * @throws ValidationError `request.invalid` or `write.number-not-exact`, with the path of each fault
 */
export function parseJson(text: string, bounds: JsonBounds = usualBounds): unknown {
  const scan = scanJson(text, bounds);
  if (scan.excess || scan.hasInexactNumber) throw jsonRefusal(text, bounds);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw jsonRefusal(text, bounds);
  }
  if (countMembers(value, text.includes('\\u')) !== scan.members) throw jsonRefusal(text, bounds);
  // Without an escape the text has none: it was decoded from UTF-8.
  if (/\\ud[89a-f]/i.test(text) && !isAllWellFormed(value)) throw jsonRefusal(text, bounds);
  return value;
}

/** A body that is not JSON. */
export interface BytesBody {
  /** Media types, in lower case; the first is the one that a refusal recommends. */
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  /** What the sender of a larger one can do. */
  readonly tooLargeRemedy: string;
}

/**
 * Reads a body as it is. Refused before any byte is read: as by readJson. A body without Content-Type is accepted: RFC 9110, 8.3 leaves it to the
 * recipient, and the handler inspects the content.
 * @throws InboundError 400, 408, 413, 415; DependencyError 503
 */
export async function readBytes(
  req: IncomingMessage,
  { contentTypes, bytesMax, tooLargeRemedy }: BytesBody,
  memory?: BodyLimits['memory'],
): Promise<Buffer> {
  const remedy = `Send a body with Content-Type: ${contentTypes[0]}.`;
  if (!hasBody(req)) throw new InboundError({ code: 'request.invalid', detail: 'The body is empty.', remedy });
  checkEncoding(req.headers['content-encoding']);
  const type = req.headers['content-type'];
  if (type !== undefined && !contentTypes.includes((type.split(';')[0] ?? '').trim().toLowerCase())) {
    throw unsupported(contentTypeDetail(type), { Accept: contentTypes.join(', ') }, remedy);
  }
  return await readBody(req, { bytesMax, remedy: tooLargeRemedy, ...(memory && { memory }) });
}

/** Whether the request announces a body at all. */
function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

function checkJsonType(type: string | undefined): void {
  if (type === 'application/json') return;
  const match = type === undefined ? null : json.exec(type);
  const named = charset.exec(match?.[1] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (match && (named === 'utf-8' || named === 'us-ascii')) return;
  throw unsupported(contentTypeDetail(type), { Accept: 'application/json' });
}

/** A small compressed body can become a huge one; nobody gains from compressing 1 KB. RFC 9110, 12.5.3 for the reply. */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  const detail = `Content-Encoding ${encoding.slice(0, 40)} is not supported.`;
  throw unsupported(detail, { 'Accept-Encoding': 'identity' }, 'Send the body without Content-Encoding.');
}

function contentTypeDetail(type: string | undefined): string {
  return type === undefined ? 'There is no Content-Type.' : `Content-Type ${type.slice(0, 80)} is not supported.`;
}

function unsupported(detail: string, headers: Readonly<Record<string, string>>, remedy?: string): InboundError {
  return new InboundError({ code: 'request.content-type', detail, headers, ...(remedy !== undefined && { remedy }) });
}

/**
 * The whole body, never more than `bytesMax` of it in memory.
 * @throws InboundError `request.body-too-large` (before the first byte when Content-Length shows it), `request.timeout`
 * @throws DependencyError 503 with `Retry-After` when there is no memory for it in time
 */
export async function readBody(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limits.bytesMax) {
    discardRest(req);
    throw bodyTooLarge(limits);
  }
  // Node delivers the rest of the packet after the head's event: a small body is complete once this has been awaited.
  await takeMemory(req, limits);
  return readArrived(req) ?? (await readArriving(req, limits));
}

/** Memory for the announced size. A body without one is taken for a small one; reading on takes more. */
async function takeMemory(req: IncomingMessage, { memory, bytesMax }: BodyLimits): Promise<void> {
  if (memory === undefined) return;
  const announced = req.headers['content-length'];
  const bytes = announced === undefined ? Math.min(smallBytesMax, bytesMax) : Number(announced);
  const { small, large } = memory.budgets;
  const isLarge = bytes > smallBytesMax;
  const budget = isLarge ? large : small;
  if (budget.takeNow(bytes, memory.held) || (await takeInTime(budget, bytes, memory.held))) return;
  discardRest(req);
  throw noBodyMemory(budget, announced === undefined ? unsized(bytes) : `has ${bytes} bytes`, isLarge);
}

const ofReply = {
  asked: 'The reply',
  beside: 'large replies',
  consequence: 'Nothing was read.',
  advice: 'send fewer requests at the same time, or request smaller pages',
};

/**
 * Memory for a reply of so many bytes, or for what else a request grows to.
 * @throws DependencyError 503 with `Retry-After` when there is none in time
 */
export async function takeReplyMemory(
  { replies }: ByteBudgets,
  bytes: number,
  held: HeldBytes,
  grown: NoMemory = ofReply,
): Promise<void> {
  if (replies.takeNow(bytes, held) || (await takeInTime(replies, bytes, held))) return;
  throw noMemory(replies, { ...grown, asked: `${grown.asked} may have ${bytes} bytes` });
}

function takeInTime(budget: ByteBudget, bytes: number, held: HeldBytes): Promise<boolean> {
  return budget.take(bytes, performance.now() + waitMs, held);
}

/** A size that nobody announced. */
function unsized(bytes: number): string {
  return `has no Content-Length and counts as ${bytes} bytes`;
}

function noBodyMemory(budget: ByteBudget, size: string, isLarge: boolean): DependencyError {
  const smaller = `bodies of at most ${smallBytesMax} bytes`;
  return noMemory(budget, {
    asked: `The body ${size}`,
    beside: isLarge ? `bodies of more than ${smallBytesMax} bytes` : smaller,
    consequence: 'Nothing of it was kept.',
    advice: `send fewer bodies at the same time${isLarge ? `, or ${smaller}, which do not wait for larger ones` : ''}`,
  });
}

export interface NoMemory {
  /** What waited, and its size where that is not given beside it. */
  readonly asked: string;
  /** What shares the budget. */
  readonly beside: string;
  readonly consequence: string;
  readonly advice: string;
}

function noMemory({ totalBytes }: ByteBudget, { asked, beside, consequence, advice }: NoMemory): DependencyError {
  const bound = `${beside} may have ${totalBytes} bytes together in this process, those of one caller at most as much as is left free`;
  const detail = `${asked}, and within ${waitMs / 1_000} seconds there was no memory for it: ${bound}. ${consequence}`;
  const remedy = `Send the request again after the time in Retry-After; ${advice}.`;
  return new DependencyError({ code: 'service.unavailable', detail, retryAfterMs, remedy });
}

/** A body that has already arrived needs neither listeners nor a timer. */
function readArrived(req: IncomingMessage): Buffer | undefined {
  const announced = Number(req.headers['content-length']);
  if (req.readableLength !== announced) return undefined;
  const body = req.read() as Buffer | null;
  // Lets the request end; the connection's next request waits for that.
  req.resume();
  return body ?? undefined;
}

function readArriving(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timeoutMs = limits.timeoutMs ?? 10_000;
    const startedAtMs = performance.now();
    const { held } = limits.memory ?? {};
    const giveWayBefore = held?.giveWay;
    // A body that announces no size is read as a small one until there is memory for as much as it may have.
    let unannounced = req.headers['content-length'] === undefined ? limits.memory : undefined;
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      if (held) held.giveWay = giveWayBefore;
      req.off('data', take).off('end', finish).off('close', cut).off('error', cut);
      outcome();
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.bytesMax) return refuse(bodyTooLarge(limits));
      chunks.push(chunk);
      if (unannounced === undefined || bytes <= smallBytesMax) return;
      const { budgets, held: holder } = unannounced;
      const { large } = budgets;
      unannounced = undefined;
      req.pause();
      takeInTime(large, limits.bytesMax, holder).then(
        (isTaken) => (isTaken ? req.resume() : refuse(noBodyMemory(large, unsized(limits.bytesMax), true))),
        refuse,
      );
    };
    const refuse = (error: Error): void => {
      settle(() => reject(error));
      discardRest(req);
    };
    const finish = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const cut = () => settle(() => reject(malformed('The connection ended before the body did.')));
    const timer = setTimeout(() => settle(() => reject(tooSlow())), timeoutMs);
    // One that comes too slowly to be here in time has no claim to memory that another caller waits for.
    const giveWay = (): void => {
      const passedMs = performance.now() - startedAtMs;
      const heldBytes = Number(req.headers['content-length'] ?? (unannounced ? smallBytesMax : limits.bytesMax));
      const isInTime = bytes * timeoutMs >= heldBytes * passedMs;
      if (passedMs < giveWayAfterMs || isInTime || req.isPaused()) return;
      refuse(tooSlow(' Another caller waits for the memory that it holds.'));
      held?.end();
    };
    if (held) held.giveWay = giveWay;
    req.on('data', take).on('end', finish).on('close', cut).on('error', cut);
  });
}

/** Throws away what is still to come, so that the client gets to read a refusal; a long or slow rest is cut. */
function discardRest(req: IncomingMessage): void {
  let bytes = 0;
  const cut = () => req.socket.destroy();
  const timer = setTimeout(cut, discard.timeoutMs).unref();
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discard.bytesMax) cut();
  });
  req.on('error', () => undefined).once('close', () => clearTimeout(timer));
}

function bodyTooLarge({ bytesMax, remedy }: BodyLimits): InboundError {
  return new InboundError({
    code: 'request.body-too-large',
    detail: `The body is larger than ${bytesMax} bytes.`,
    meta: { bytesMax },
    ...(remedy !== undefined && { remedy }),
  });
}

function tooSlow(more = ''): InboundError {
  const detail = `The body did not arrive in time.${more}`;
  return new InboundError({ code: 'request.timeout', detail, headers: { Connection: 'close' } });
}

function malformed(detail: string): InboundError {
  return new InboundError({ code: 'request.malformed-json', detail });
}
