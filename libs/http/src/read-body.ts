import type { IncomingMessage } from 'node:http';
import { InboundError } from './problem-handler';

export interface BodyLimits {
  readonly bytesMax: number;
  /** Longest time from the call to the last byte, in milliseconds. @default 10 000 */
  readonly timeoutMs?: number;
  /** For a body that announces no size: it is read no further than this until there is room for the rest. */
  readonly growth?: { readonly beyondBytes: number; takeRoom(): Promise<void> } | undefined;
  /** What the sender of a larger one can do. @default that of `request.body-too-large` */
  readonly remedy?: string;
}

/** After a 413 the rest is thrown away, so that an ordinary client gets to read the reply; then the socket is cut. */
const discard = { bytesMax: 16_777_216, timeoutMs: 2_000 };

/** Whether the request announces a body at all. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/**
 * The whole body, never more than `bytesMax` of it in memory.
 * @throws InboundError `request.body-too-large` (before the first byte when Content-Length tells), `request.timeout`; what `growth` throws
 */
export function readBody(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limits.bytesMax) {
    discardRest(req);
    return Promise.reject(tooLarge(limits));
  }
  const arrived = readArrived(req);
  return arrived === undefined ? readArriving(req, limits) : Promise.resolve(arrived);
}

/** A small body arrives with its head: it is here when somebody asks for it, and needs neither listeners nor a timer. */
function readArrived(req: IncomingMessage): Buffer | undefined {
  const announced = Number(req.headers['content-length']);
  if (req.readableLength !== announced) return undefined;
  const body = req.read() as Buffer | null;
  // Lets the request come to its end, on which the connection's next one waits.
  req.resume();
  return body ?? undefined;
}

function readArriving(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let { growth } = limits;
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      req.off('data', take).off('end', finish).off('close', cut).off('error', cut);
      outcome();
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.bytesMax) return refuse(tooLarge(limits));
      chunks.push(chunk);
      if (growth === undefined || bytes <= growth.beyondBytes) return;
      req.pause();
      growth.takeRoom().then(() => req.resume(), refuse);
      growth = undefined;
    };
    const refuse = (error: Error): void => {
      settle(() => reject(error));
      discardRest(req);
    };
    const finish = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const cut = () => settle(() => reject(unfinished()));
    const timer = setTimeout(() => settle(() => reject(tooSlow())), limits.timeoutMs ?? 10_000);
    req.on('data', take).on('end', finish).on('close', cut).on('error', cut);
  });
}

/** Throws away what is still to come, so that the client gets to read a refusal; a long or slow rest is cut. */
export function discardRest(req: IncomingMessage): void {
  let bytes = 0;
  const cut = () => req.socket.destroy();
  const timer = setTimeout(cut, discard.timeoutMs).unref();
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discard.bytesMax) cut();
  });
  req.on('error', () => undefined).once('close', () => clearTimeout(timer));
}

function tooLarge({ bytesMax, remedy }: BodyLimits): InboundError {
  return new InboundError({
    code: 'request.body-too-large',
    detail: `The body is larger than ${bytesMax} bytes.`,
    meta: { bytesMax },
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function tooSlow(): InboundError {
  const detail = 'The body did not arrive in time.';
  return new InboundError({ code: 'request.timeout', detail, headers: { Connection: 'close' } });
}

/** Seen by nobody but the log: there is no connection left to answer on. */
function unfinished(): InboundError {
  return new InboundError({ code: 'request.malformed-json', detail: 'The connection ended before the body did.' });
}

/**
 * A small compressed body can become a huge one; nobody gains from compressing 1 KB. RFC 9110, 12.5.3 for the reply.
 * @throws InboundError 415 for any encoding but `identity`
 */
export function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new InboundError({
    code: 'request.content-type',
    detail: `Content-Encoding ${encoding.slice(0, 40)} is not supported.`,
    remedy: 'Send the body without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  });
}

/** A body that is no JSON: what it may be called, and how large it may be. */
export interface BytesBody {
  /** Media types, in lower case; the first is the one that a refusal recommends. */
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  /** What the sender of a larger one can do. */
  readonly tooLargeRemedy: string;
}

/**
 * Reads a body as it is. Refused before any byte is read: no body, another content type, a compressed body, a Content-Length
 * over the limit. A body without Content-Type is taken: RFC 9110, 8.3 leaves it to who receives it, and the body is looked into next.
 * @throws InboundError 400, 408, 413, 415
 */
export async function readBytes(req: IncomingMessage, body: BytesBody, growth?: BodyLimits['growth']): Promise<Buffer> {
  const { contentTypes, bytesMax, tooLargeRemedy } = body;
  if (!hasBody(req))
    throw new InboundError({ code: 'request.invalid', detail: 'The body is empty.', remedy: sendOne(body) });
  checkEncoding(req.headers['content-encoding']);
  const type = req.headers['content-type'];
  if (type !== undefined && !contentTypes.includes(mediaType(type))) {
    throw new InboundError({
      code: 'request.content-type',
      detail: `Content-Type ${type.slice(0, 80)} is not supported.`,
      remedy: sendOne(body),
      headers: { Accept: contentTypes.join(', ') },
    });
  }
  return await readBody(req, { bytesMax, remedy: tooLargeRemedy, growth });
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

function sendOne({ contentTypes }: BytesBody): string {
  return `Send a body with Content-Type: ${contentTypes[0]}.`;
}
