import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What a client meets on the way to its Redis: nothing, a refused connection, silence (everything is held back), or a full memory
 * (every command gets the error that Redis replies with under `noeviction`).
 */
export type Fault = 'none' | 'refused' | 'silent' | 'out-of-memory';

/** A proxy in front of a real Redis that fails on demand. */
export interface FaultyProxy {
  readonly url: string;
  set(fault: Fault): void;
  close(): Promise<void>;
}

const outOfMemory = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
/** Start of a command in the Redis protocol: an array of bulk strings. */
const commandStart = /(?:^|\r\n)\*\d+\r\n/g;

export async function faultyProxy(redisUrl: string): Promise<FaultyProxy> {
  const target = new URL(redisUrl);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let fault: Fault = 'none';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    if (fault === 'refused') client.destroy();
    else join(keep(client), keep(connect(Number(target.port || 6379), target.hostname)));
  });
  const join = (client: Socket, upstream: Socket) => {
    client.on('data', (bytes) => {
      const commands = bytes.toString('latin1').match(commandStart)?.length ?? 0;
      if (fault === 'out-of-memory') client.write(outOfMemory.repeat(commands));
      else if (fault === 'silent') held.push(() => upstream.write(bytes));
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('close', () => upstream.destroy());
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(redisUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const drop = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.toString(),
    set: (next) => {
      fault = next;
      if (next === 'refused') drop();
      for (const forward of held.splice(0)) forward();
    },
    close: () => {
      drop();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
