import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Request, Response } from '@sluice/http';
import type { Encoding } from '../control/fault';
import type { WireReply } from '../control/imitated-provider';
import type { Ending, Manner } from './ending';

/** Sends what became of a call, or cuts the connection. */
export function deliver(req: Request, res: Response, { reply, isHalf, manner }: Ending): void {
  if (!reply) {
    req.socket.resetAndDestroy();
    return;
  }
  writeHead(res, reply);
  if (manner) sendOddly(req, res, reply, manner);
  else send(req, res, reply, isHalf);
}

function writeHead(res: Response, { status, headers }: WireReply): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

function send(req: Request, res: Response, reply: WireReply, isHalf: true | undefined): void {
  const payload = Buffer.from(reply.payload);
  setLength(res, reply.status, payload.length);
  if (!isHalf) res.end(payload);
  // Ended rather than reset, so that the half that was sent arrives.
  else res.write(payload.subarray(0, payload.length / 2), () => req.socket.destroy());
}

/** RFC 9110, 8.6: no length where there cannot be a body. */
function setLength(res: Response, status: number, bytes: number): void {
  if (status !== 204 && status !== 304) res.setHeader('content-length', bytes);
}

function sendOddly(req: Request, res: Response, reply: WireReply, manner: Manner): void {
  switch (manner.kind) {
    case 'encoded':
      return encode(res, reply, manner.encoding);
    case 'close-idle':
      return closeIdle(req, res, reply, manner.delayMs);
    case 'drip':
      return drip(res, manner.everyMs);
    case 'huge':
      return flood(res, reply, manner.bytes);
  }
}

const encoders: Readonly<Record<Encoding, (text: string) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  broken: (text) => Buffer.from(`not gzip: ${text}`),
};

function encode(res: Response, { status, payload }: WireReply, encoding: Encoding): void {
  if (payload === '') return void res.end();
  const bytes = encoders[encoding](payload);
  res.setHeader('content-encoding', encoding === 'broken' ? 'gzip' : encoding);
  setLength(res, status, bytes.length);
  res.end(bytes);
}

const closing = new WeakMap<Request['socket'], NodeJS.Timeout>();

/** A connection that carries another request is not idle. To be called when one arrives. */
export function keepOpen({ socket }: Request): void {
  clearTimeout(closing.get(socket));
}

/** Says nothing of the close, neither `Connection` nor `Keep-Alive`; the caller has to notice it. */
function closeIdle(req: Request, res: Response, reply: WireReply, delayMs: number): void {
  const { socket } = req;
  res.once('finish', () =>
    closing.set(
      socket,
      setTimeout(() => socket.end(), delayMs),
    ),
  );
  res.shouldKeepAlive = true;
  send(req, res, reply, undefined);
}

function drip(res: Response, everyMs: number): void {
  res.write(' ');
  const timer = setInterval(() => res.write(' '), everyMs);
  res.once('close', () => clearInterval(timer));
}

/** Blanks before the JSON of the reply: a body that is right, if anybody reads it to its end. */
function flood(res: Response, { payload }: WireReply, bytes: number): void {
  const block = Buffer.alloc(65_536, ' ');
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !res.destroyed) {
      left -= block.length;
      if (!res.write(block)) return void res.once('drain', more);
    }
    if (!res.destroyed) res.end(payload);
  };
  more();
}
