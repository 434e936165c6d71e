import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call and its reply. Bodies are parsed: JSON, or a form; undefined without one. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty without one. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: unknown;
  readonly status: number;
  readonly reply: unknown;
}

export interface Recorder {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

/** A proxy that passes each call on and keeps it with its reply. A reply that breaks off breaks off here too, and is not kept. */
export async function startRecorder(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const passOn = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const sent = await bytesOf(incoming);
    const onward = request(new URL(url, target), { method, headers, agent: false });
    onward.end(sent);
    const [reply] = (await once(onward, 'response')) as [IncomingMessage];
    const received = await bytesOf(reply);
    const { statusCode: status = 502 } = reply;
    outgoing.writeHead(status, reply.headers).end(received);
    const bodies = { request: bodyOf(sent, headers['content-type']), reply: bodyOf(received) };
    const [path = url] = url.split('?');
    exchanges.push({ method, path, query: url.slice(path.length), headers, status, ...bodies });
  };
  const server = createServer((incoming, outgoing) => {
    passOn(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function bodyOf(bytes: Buffer, type = ''): unknown {
  const text = bytes.toString();
  if (text === '') return undefined;
  if (type.includes('x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
