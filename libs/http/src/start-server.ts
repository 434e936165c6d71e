import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import { SluiceError, type ProblemCode } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import { guardConnections, type AnonymousBounds } from './anonymous';
import { InboundError, presentProblem } from './problem-handler';
import { stateOf } from './request-state';

export interface ServerOptions extends Omit<AnonymousBounds, 'repliesMax'> {
  /** 0 lets the system choose; the result names the port. */
  readonly port: number;
  readonly host: string;
  readonly logger: Logger;
  /** Longest wait for requests in flight when closing. In its second half no request is taken any more. @default 10 000 */
  readonly shutdownMs?: number | undefined;
  /** How long a closing server goes on accepting, not ready, so that balancers see it before the listener is gone. @default 0 */
  readonly drainDelayMs?: number | undefined;
  /**
   * How long a closing server leaves its idle connections open after its last reply, within the first half of `shutdownMs`. Each request that comes meanwhile is
   * answered as its connection's last. @default 250
   */
  readonly idleGraceMs?: number | undefined;
  /** Node's settings of the same names, in milliseconds. For tests; the defaults have their reasons. */
  readonly timeouts?: Partial<typeof defaultTimeouts>;
}

/** A listening server. */
export interface HttpServer {
  readonly port: number;
  /** Not ready, after `drainDelayMs` no new connections, in-flight requests finish (at most `shutdownMs`), the rest is cut. Repeatable. */
  close(): Promise<void>;
}

/**
 * Headers, 10 s: a slow-loris client holds a socket no longer. Request, 30 s: the largest body (5 MB) on a 2 Mbit/s line takes 20 s.
 * Keep-alive, 65 s: a load balancer keeps an idle connection for 60 s. So the balancer closes first, and no request meets a closing socket.
 * Check, 1 s: how often Node checks for late clients. With its default of 30 s the 10 s could become 40.
 * Unread, 30 s (not Node's): a connection that has had something to send for so long, and has sent none of it, is cut.
 */
export const defaultTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  unreadTimeout: 30_000,
};
/** Bytes of all headers together. Node's default, stated so that a flag cannot move it. */
const maxHeaderSize = 16_384;

/**
 * HTTP has no word that ends an idle connection: a client that sends while we hang up cannot know whether it was heard, and only a repeat under
 * a key is safe. So connections end by their last reply, which says so, and only those that carry nothing for this long are hung up.
 */
const defaultIdleGraceMs = 250;

/**
 * Listens, and resolves when the port is bound.
 * @throws ListenError that names the port and the setting to change
 */
export async function startServer(app: Express, o: ServerOptions): Promise<HttpServer> {
  const inFlight = new InFlight();
  const state = stateOf(app);
  const options = {
    ...defaultTimeouts,
    ...o.timeouts,
    maxHeaderSize,
    insecureHTTPParser: false,
  };
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    if (!inFlight.take(res)) return;
    guard.took(res);
    if (state.draining) res.setHeader('Connection', 'close');
    const [request, reply] = [req as Request, res as Response];
    // Called without a failure where Express finds no handler at all; with one when the problem handler failed and nothing can be answered.
    app(request, reply, (failure) => (failure ? res.destroy() : state.refuseUnrouted?.(request, reply)));
  };
  const server = createServer(options, serve);
  // Node would answer 417 with nothing in it. An expectation that we do not know may be ignored: RFC 9110, 10.1.1.
  server.on('checkExpectation', serve);
  server.on('connection', (socket) => inFlight.connected(socket));
  const { anonymousMax, trustedProxies } = o;
  const guard = guardConnections(server, { anonymousMax, trustedProxies }, options);
  server.on('clientError', (error, socket) =>
    refuseBytes(error, socket as Socket, inFlight.hasBegunOn(socket as Socket)),
  );
  await listen(server, o);
  server.on('error', (error) => o.logger.error({ error }, 'http.server-failed'));
  const port = (server.address() as AddressInfo).port;
  o.logger.info({ port, host: o.host }, 'http.listening');
  let closing: Promise<void> | undefined;
  const close = () => {
    state.draining = true;
    return (closing ??= drain(server, inFlight, o));
  };
  return { port, close };
}

/** @param setting that configures the port. @throws ListenError */
export function listen(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
  setting = 'SLUICE_PORT',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => reject(new ListenError({ port, host, setting }, cause));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

/** Turns of the event loop that accept the connections waiting at a listener: Linux keeps 511 for Node, each turn takes one. */
const acceptTurnsMax = 1_024;

/** A listener that closes resets who has connected and was not accepted yet, so these are accepted first. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void (accepted += 1);
  server.on('connection', count);
  // The current turn may have polled the listener already, so a turn without a connection proves nothing.
  for (let [turns, quiet] = [0, 0]; turns < acceptTurnsMax && quiet < 2; turns += 1) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}

async function drain(server: Server, inFlight: InFlight, o: ServerOptions): Promise<void> {
  if (o.drainDelayMs) await sleep(o.drainDelayMs);
  inFlight.endConnections();
  await acceptWaiting(server);
  // The close of an HTTP server would cut idle connections at once.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
  const cut = () => {
    if (inFlight.size > 0) o.logger.error({ inFlight: inFlight.size }, 'http.drain-cut');
    server.closeAllConnections();
  };
  const shutdownMs = o.shutdownMs ?? 10_000;
  const deadline = setTimeout(cut, shutdownMs);
  // Clients that go on asking never leave a quiet moment: what they send last must not be what the deadline cuts. A turn of the event loop
  // reads what has arrived.
  const lastCall = setTimeout(() => setImmediate(() => inFlight.takeNoMore()), shutdownMs / 2);
  const over = new AbortController();
  void hangUp(server, inFlight, { graceMs: o.idleGraceMs ?? defaultIdleGraceMs, over: over.signal });
  await closed;
  clearTimeout(lastCall);
  clearTimeout(deadline);
  over.abort();
  // Ends the check for late clients.
  server.close();
}

interface Grace {
  readonly graceMs: number;
  /** Aborted when no connection is left. */
  readonly over: AbortSignal;
}

/**
 * Ends the connections once none of them has carried anything for the grace. On a busy machine a request may have arrived and not been read yet, and
 * a socket that closes on unread bytes resets. So a turn of the event loop reads what is there before.
 */
async function hangUp(server: Server, inFlight: InFlight, { graceMs, over }: Grace): Promise<void> {
  const begunAtMs = performance.now();
  let isQuiet = false;
  while (!isQuiet && !over.aborted) {
    await inFlight.ended();
    const { endedAtMs } = inFlight;
    const leftMs = Math.max(begunAtMs, endedAtMs) + graceMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal: over }).catch(() => undefined);
    await nextTurn();
    isQuiet = inFlight.size === 0 && inFlight.endedAtMs === endedAtMs;
  }
  server.closeAllConnections();
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'needs a privilege this process does not have',
  EADDRNOTAVAIL: 'is on an address this machine does not have',
};

/** The server cannot listen. The detail names the port and what to change. */
export class ListenError extends SluiceError {
  override readonly retry = 'never';
  readonly port: number;

  constructor(
    { port, host, setting }: { readonly port: number; readonly host: string; readonly setting: string },
    cause: NodeJS.ErrnoException,
  ) {
    const reason = reasons[cause.code ?? ''] ?? `cannot be listened on (${cause.code ?? cause.message})`;
    const remedy = `Stop that program, or set ${setting} for this service, or SLUICE_PORT_BASE to move all of them.`;
    super({
      code: 'service.config-invalid',
      detail: `Port ${port} of ${host} ${reason}. ${remedy}`,
      meta: { port, host },
      cause,
    });
    this.port = port;
  }
}

/** The requests a server is working on, and the connections they may come on. */
class InFlight {
  private readonly sockets = new Set<Socket>();
  private readonly replies = new Set<ServerResponse>();
  private takesMore = true;
  private whenLastEnds: (() => void) | undefined;
  /** When a reply ended last, by `performance.now()`; 0 when none did. */
  endedAtMs = 0;

  get size(): number {
    return this.replies.size;
  }

  connected(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** @returns whether the request is taken; one that is not gets no reply and leaves no effect, since its connection is ending */
  take(res: ServerResponse): boolean {
    if (!this.takesMore) return false;
    this.replies.add(res);
    res.on('close', () => {
      this.replies.delete(res);
      this.endedAtMs = performance.now();
      if (!this.takesMore) this.endUnlessBusy(res.req.socket);
      if (this.replies.size === 0) this.whenLastEnds?.();
    });
    return true;
  }

  /** From now on no request is taken: connections that carry none end, the others end with their last reply. */
  takeNoMore(): void {
    this.takesMore = false;
    for (const socket of this.sockets) this.endUnlessBusy(socket);
  }

  private endUnlessBusy(socket: Socket): void {
    for (const res of this.replies) if (res.req.socket === socket) return;
    socket.destroySoon();
  }

  /** Makes each reply that has not begun the last one of its connection. */
  endConnections(): void {
    for (const res of this.replies) if (!res.headersSent) res.setHeader('Connection', 'close');
  }

  /** Whether bytes of a reply are already on this connection. */
  hasBegunOn(socket: Socket): boolean {
    for (const res of this.replies) if (res.socket === socket && res.headersSent) return true;
    return false;
  }

  /** Resolves as soon as nothing is in flight. For one waiter. */
  ended(): Promise<void> {
    if (this.replies.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.whenLastEnds = resolve));
  }
}

/** For how long who sent no request may read why. */
const hangUpMs = 2_000;

const refusals: Record<string, readonly [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['request.invalid', 'The headers are larger than 16 KB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['request.body-too-large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request.timeout', 'The request did not arrive in time.'],
};

/**
 * Answers bytes that are no HTTP request (or one that came too slowly) with a problem document, and hangs up.
 * These never reach Express. A reply that has begun is cut instead: more bytes would corrupt it.
 */
function refuseBytes(error: NodeJS.ErrnoException, socket: Socket, hasBegun: boolean): void {
  if (!socket.writable || hasBegun || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [code, detail] = refusals[error.code ?? ''] ?? [
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
  // One that does not hang up in turn would be kept for ever: no timeout of Node's is left for it. At once would reset what is being read.
  const cut = setTimeout(() => socket.destroy(), hangUpMs).unref();
  socket.once('close', () => clearTimeout(cut));
}
