import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { HostileRequest } from './spoil';

export interface HostileReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
/** Nothing that we answer takes this long; a wait of 30 s is asked of operations in progress only. */
const timeoutMs = 90_000;

/** Sends a request as it is, without a client's good manners. Rejects when no reply comes. */
export function send({ endpoint, method, path, headers, body }: HostileRequest): Promise<HostileReply> {
  const { hostname, port } = new URL(endpoint.origin);
  // Node frames the body of a GET or HEAD only when the length is set; unframed it would be a second request.
  const framed = body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path, headers: framed, timeout: timeoutMs }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no reply within ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Ends the connections that are kept. */
export function closeConnections(): void {
  agent.destroy();
}
