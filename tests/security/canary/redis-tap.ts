import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A wire to Redis that keeps every byte that goes either way: each key and value, however short its life. */
export interface RedisTap {
  readonly url: string;
  text(): string;
  close(): void;
}

export async function startRedisTap(redisUrl: string): Promise<RedisTap> {
  const target = new URL(redisUrl);
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => chunks.push(chunk));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(redisUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.toString(),
    text: () => Buffer.concat(chunks).toString('latin1'),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
