import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import type { Logger } from '@sluice/telemetry';
import { SluiceError } from '@sluice/errors';
import { stateOf } from './app-state';
import { constructorsOf } from './express-prototypes';
import { InFlight } from './request-limits';
import { refuseBytes } from './served-room';

export interface ServerOptions {
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
 * headers 10 s: a slow-loris client holds a socket no longer. request 30 s: the largest body (5 MB) on a 2 Mbit/s line
 * takes 20 s. keep-alive 65 s: longer than the 60 s a load balancer keeps an idle connection, so it is the
 * balancer that closes first and no request meets a closing socket. check 1 s: how often Node looks for late clients;
 * its default of 30 s would make of 10 s up to 40.
 */
const defaultTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
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
    ...constructorsOf(app),
    maxHeaderSize,
    insecureHTTPParser: false,
  };
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    if (!inFlight.take(res)) return;
    if (state.draining) res.setHeader('Connection', 'close');
    app(req, res);
  };
  const server = createServer(options, serve);
  // Node would answer 417 with nothing in it. An expectation that we do not know may be ignored: RFC 9110, 10.1.1.
  server.on('checkExpectation', serve);
  server.on('connection', (socket) => inFlight.connected(socket));
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
    return (closing ??= leave(server, inFlight, o));
  };
  return { port, close };
}

function listen(server: Server, o: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => reject(new ListenError(o.port, o.host, cause));
    server.once('error', fail);
    server.listen(o.port, o.host, () => {
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
  // The turn in hand may have looked at the listener already, so one without a connection says nothing.
  for (let [turns, quiet] = [0, 0]; turns < acceptTurnsMax && quiet < 2; turns += 1) {
    const before = accepted;
    await nextTurn();
    quiet = accepted === before ? quiet + 1 : 0;
  }
  server.off('connection', count);
}

async function leave(server: Server, inFlight: InFlight, o: ServerOptions): Promise<void> {
  if (o.drainDelayMs) await sleep(o.drainDelayMs);
  await drain(server, inFlight, o);
}

async function drain(server: Server, inFlight: InFlight, o: ServerOptions): Promise<void> {
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
  // Ends the look for late clients.
  server.close();
}

interface Grace {
  readonly graceMs: number;
  /** Aborted when no connection is left. */
  readonly over: AbortSignal;
}

/**
 * Ends the connections once none of them has carried anything for the grace. On a busy machine a request may have arrived and not been read
 * yet, and a socket that closes on unread bytes resets: so a turn of the event loop reads what is there before.
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

  /** @param setting that says which port it is */
  constructor(port: number, host: string, cause: NodeJS.ErrnoException, setting = 'SLUICE_PORT') {
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
