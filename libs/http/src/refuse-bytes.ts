import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from '@sluice/errors';
import { InboundError } from './inbound-error';
import { presentProblem } from './problem-handler';

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
