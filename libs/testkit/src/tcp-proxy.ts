import { connect, createServer, type Server, type Socket } from 'node:net';
import { Disturbance, type WireFault } from './wire-fault';

/** A wire to a server that a test can cut and disturb. Test support: one for Postgres, Redis and providers alike. */
export interface TcpProxy {
  /** The server's URL, through the wire. */
  readonly url: string;
  /** Cuts what is connected and takes nothing new. */
  cut(): void;
  mend(): Promise<void>;
  /** Resets what is connected (RST, not FIN); new connections are taken. */
  reset(): void;
  /** What becomes of the bytes from now on; replaces what was set before. Nothing: they pass. */
  disturb(fault?: WireFault): void;
  /** Cuts a connection when the server has answered a statement that contains `text`, before the answer arrives. Once. */
  loseAnswerTo(text: string): void;
  /** The same for every `nth` statement that contains one of the texts, until there are none. */
  loseEveryAnswerTo(texts: readonly string[], nth: number): void;
  /** Answers that were lost. */
  lost(): number;
  close(): void;
}

/** ReadyForQuery: a whole answer of Postgres ends with it, so the statement is committed and nobody hears of it. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

/** @param targetUrl of the server; its port is named */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const loss = new AnswerLoss();
  const wire = new Disturbance();
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
    let isDoomed = false;
    const toServer = wire.pipe('request', upstream);
    const toClient = wire.pipe('reply', client);
    client.on('data', (chunk) => {
      isDoomed = loss.dooms(chunk) || isDoomed;
      toServer(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isDoomed) return toClient(chunk);
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
    reset: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    disturb: (fault) => wire.set(fault),
    loseAnswerTo: (text) => loss.arm([text], 'once'),
    loseEveryAnswerTo: (texts, nth) => loss.arm(texts, nth),
    lost: () => loss.count,
    close: cut,
  };
}

/** Which connections lose the answer to what they asked. */
class AnswerLoss {
  count = 0;
  private texts: readonly string[] = [];
  private nth: number | 'once' = 'once';
  private seen = 0;

  arm(texts: readonly string[], nth: number | 'once'): void {
    this.texts = texts;
    this.nth = nth;
  }

  dooms(chunk: Buffer): boolean {
    if (!this.texts.some((text) => chunk.includes(text))) return false;
    if (this.nth === 'once') {
      this.texts = [];
      return true;
    }
    this.seen += 1;
    return this.seen % this.nth === 0;
  }
}
