import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider call as it left the services. */
export interface RelayedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A wire between the services and the sandbox that keeps what the sandbox's ledger leaves out: headers and bodies. */
export interface Relay {
  readonly url: string;
  readonly calls: readonly RelayedCall[];
  close(): void;
}

export async function startRelay(target: string): Promise<Relay> {
  const calls: RelayedCall[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = Buffer.concat(chunks);
      calls.push({ method, path, headers, body: body.toString() });
      const forward = request(new URL(path, target), { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      forward.on('error', () => outgoing.destroy());
      forward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
