import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A way to the sandbox on which chosen calls are answered with something large in its place. */
export interface LargeProvider {
  readonly url: string;
  /** Calls with this token to this path get this body; undefined: as the sandbox answers. */
  answer(token: string, path: string, body: string | undefined): void;
  close(): void;
}

export async function startLargeProvider(target: string): Promise<LargeProvider> {
  const answers = new Map<string, string>();
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const large = answers.get(`${headers.authorization} ${path}`);
    if (large !== undefined) {
      incoming.resume();
      incoming.on('end', () => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(large));
      return;
    }
    const forward = request(new URL(path, target), { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (token, path, body) => {
      const call = `Bearer ${token} ${path}`;
      if (body === undefined) answers.delete(call);
      else answers.set(call, body);
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Records as HubSpot shows them, of so many bytes together. One character needs two bytes, so each of its text does. */
export function recordsOf(bytes: number): object[] {
  const note = `漢${'y'.repeat(Math.floor(bytes / 100) - 120)}`;
  return Array.from({ length: 100 }, (_, at) => ({
    id: String(1_000 + at),
    properties: { email: `r${at}@example.com`, firstname: note },
    createdAt: '2026-11-23T00:00:00.000Z',
    updatedAt: '2026-11-23T00:00:00.000Z',
  }));
}
