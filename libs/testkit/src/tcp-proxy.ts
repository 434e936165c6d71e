import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A fault of the network. */
interface WireFault {
  /** Each chunk is delayed, each way, by at most this much, drawn per chunk. @default 0 */
  readonly jitterMs?: number;
  /** From 0 up to 1; @default Math.random */
  readonly random?: () => number;
  /** Bytes of requests or of replies that are never delivered. */
  readonly silent?: Direction;
}

/** A proxy in front of a server, which a test can cut and disturb: for Postgres, Redis and providers alike. */
export interface TcpProxy {
  /** The server's URL, through the proxy. */
  readonly url: string;
  /** Cuts all connections and refuses new ones. */
  cut(): void;
  mend(): Promise<void>;
  /** Resets all connections (RST, not FIN); new ones are accepted. */
  reset(): void;
  /** Leads to another server: what is connected is cut. Its user and database are those of the first. */
  pointTo(url: string): void;
  /** The fault from now on, in place of the previous one. Without an argument: none. */
  disturb(fault?: WireFault): void;
  /** Cuts a connection when the server has replied to a statement that contains `text`, before the reply arrives. Once. */
  loseAnswerTo(text: string): void;
  /** Delivers a statement that contains `text`, and from then on no reply on any connection, until `disturb` is called. */
  silenceAfter(text: string): void;
  /** The same as `loseAnswerTo` for every `nth` statement that contains one of the texts, until there are none. */
  loseEveryAnswerTo(texts: readonly string[], nth: number): void;
  /** Replies that were lost. */
  lost(): number;
  /** Statements that were sent to a Postgres, those of a transaction included, probes not. */
  statements(): number;
  close(): void;
}

/** ReadyForQuery ends a complete reply of Postgres: the statement is committed, and its client never learns of it. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

/** @param targetUrl of the server; its port is named */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  let target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const loss = new AnswerLoss();
  const wire = new Disturbance();
  const isPostgres = target.protocol.startsWith('postgres');
  let statements = 0;
  let silencing: string | undefined;
  let port = 0;
  const server: Server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let isLosing = false;
    const count = statementCounter();
    const toServer = wire.pipe('request', upstream);
    const toClient = wire.pipe('reply', client);
    client.on('data', (chunk) => {
      isLosing = loss.matches(chunk) || isLosing;
      if (silencing !== undefined && chunk.includes(silencing)) wire.set({ silent: 'reply' });
      if (isPostgres) statements += count(chunk);
      toServer(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isLosing) return toClient(chunk);
      if (!chunk.includes(readyForQuery)) return;
      loss.count += 1;
      client.destroy();
    });
  });
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen();
  port = (server.address() as { port: number }).port;
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    cut,
    mend: listen,
    pointTo: (to) => {
      target = new URL(to);
      for (const socket of sockets) socket.destroy();
    },
    reset: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    disturb: (fault) => {
      silencing = undefined;
      wire.set(fault);
    },
    silenceAfter: (text) => (silencing = text),
    loseAnswerTo: (text) => loss.arm([text], 'once'),
    loseEveryAnswerTo: (texts, nth) => loss.arm(texts, nth),
    lost: () => loss.count,
    statements: () => statements,
    close: cut,
  };
}

/** Types of the messages that carry a statement out: Query and Execute. Source: https://www.postgresql.org/docs/18/protocol-message-formats.html */
const executing = new Set([0x51, 0x45]);

/** How a service finds out whether its database is hung. How often depends on how busy the machine is. */
const probe = 'as probe';

/** Counts the statements of one connection, whose first message, the startup, has no type. */
function statementCounter(): (chunk: Buffer) => number {
  let pending = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    let count = 0;
    while (pending.length >= typeBytes + 4) {
      const length = typeBytes + pending.readUInt32BE(typeBytes);
      if (pending.length < length) break;
      if (typeBytes === 1 && executing.has(pending[0] as number) && !pending.subarray(0, length).includes(probe))
        count += 1;
      pending = pending.subarray(length);
      typeBytes = 1;
    }
    return count;
  };
}

/** Decides which connections lose the reply to their statement. */
class AnswerLoss {
  count = 0;
  private texts: readonly string[] = [];
  private nth: number | 'once' = 'once';
  private matched = 0;

  arm(texts: readonly string[], nth: number | 'once'): void {
    this.texts = texts;
    this.nth = nth;
  }

  matches(chunk: Buffer): boolean {
    if (!this.texts.some((text) => chunk.includes(text))) return false;
    if (this.nth === 'once') {
      this.texts = [];
      return true;
    }
    this.matched += 1;
    return this.matched % this.nth === 0;
  }
}

type Direction = 'request' | 'reply';

/** Passes bytes on under the fault that is set. */
class Disturbance {
  private fault: WireFault = {};

  set(fault: WireFault = {}): void {
    this.fault = fault;
  }

  /** @returns writes to `to`, in order, also when chunks wait for different times */
  pipe(direction: Direction, to: Socket): (chunk: Buffer) => void {
    let tail: Promise<void> | undefined;
    return (chunk) => {
      const { jitterMs = 0, random = Math.random, silent } = this.fault;
      if (silent === direction) return;
      if (tail === undefined && jitterMs === 0) {
        to.write(chunk);
        return;
      }
      const mine = deliverAfter(tail, random() * jitterMs, to, chunk).finally(() => {
        if (tail === mine) tail = undefined;
      });
      tail = mine;
    };
  }
}

async function deliverAfter(earlier: Promise<void> | undefined, ms: number, to: Socket, chunk: Buffer): Promise<void> {
  await earlier;
  await sleep(ms);
  if (!to.destroyed) to.write(chunk);
}
