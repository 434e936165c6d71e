import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy of the sandbox that answers chosen calls with something large. */
export interface LargeProvider {
  readonly url: string;
  /** Calls with this token (undefined: with none) to this path get what is made of their body; undefined: as the sandbox answers. */
  answer(
    token: string | undefined,
    path: string,
    toReply: ((body: string) => string) | undefined,
    status?: number,
  ): void;
  close(): void;
}

export async function startLargeProvider(target: string): Promise<LargeProvider> {
  const answers = new Map<string, { readonly toReply: (body: string) => string; readonly status: number }>();
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const found = answers.get(`${headers.authorization} ${path}`);
    if (found !== undefined) {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = found.toReply(Buffer.concat(chunks).toString());
        outgoing.writeHead(found.status, { 'content-type': 'application/json' }).end(body);
      });
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
    answer: (token, path, toReply, status = 200) => {
      const call = `${token === undefined ? undefined : `Bearer ${token}`} ${path}`;
      if (toReply === undefined) answers.delete(call);
      else answers.set(call, { toReply, status });
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What is long, and held with two bytes a character because one of them needs two. */
export function longText(bytes: number): string {
  return `漢${'y'.repeat(Math.max(0, Math.floor(bytes) - 3))}`;
}

/** Records as HubSpot shows them, of so many bytes together. */
export function recordsOf(bytes: number): object[] {
  const firstname = longText(bytes / 100 - 120);
  return Array.from({ length: 100 }, (_, at) => ({
    id: String(1_000 + at),
    properties: { email: `r${at}@example.com`, firstname },
    createdAt: '2026-11-23T00:00:00.000Z',
    updatedAt: '2026-11-23T00:00:00.000Z',
  }));
}

let created = 0;

/** The reply to a batch of creates, with so many bytes about each record. */
export function createdWith(bytes: number): (body: string) => string {
  const firstname = longText(bytes / 100 - 200);
  return (body) => {
    const { inputs } = JSON.parse(body) as { readonly inputs: readonly { readonly objectWriteTraceId?: string }[] };
    const results = inputs.map(({ objectWriteTraceId }) => ({
      id: String((created += 1)),
      properties: { firstname },
      ...(objectWriteTraceId && { objectWriteTraceId }),
    }));
    return JSON.stringify({ status: 'COMPLETE', results });
  };
}
