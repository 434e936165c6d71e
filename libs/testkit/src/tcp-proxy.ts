import { connect, createServer, type Server, type Socket } from 'node:net';

/** A wire to a database that a test can cut. */
export interface TcpProxy {
  /** The database's URL, through the wire. */
  readonly url: string;
  /** Cuts what is connected and takes nothing new. */
  cut(): void;
  mend(): Promise<void>;
  /** Cuts a connection when the server has answered a statement that contains `text`, before the answer arrives. Once. */
  loseAnswerTo(text: string): void;
  /** Answers that were lost. */
  lost(): number;
  close(): void;
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let losing: string | undefined;
  let lost = 0;
  let port = 0;
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isDoomed = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (losing !== undefined && chunk.includes(losing)) {
        losing = undefined;
        isDoomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      // A whole answer ends with ReadyForQuery: the statement is committed, and nobody hears of it.
      if (isDoomed && chunk.includes(Buffer.from([0x5a, 0, 0, 0, 5]))) {
        lost += 1;
        client.destroy();
        return;
      }
      if (!isDoomed) client.write(chunk);
    });
  });
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen();
  port = (server.address() as { port: number }).port;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    cut,
    mend: listen,
    loseAnswerTo: (text) => {
      losing = text;
    },
    lost: () => lost,
    close: cut,
  };
}
