import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSpans, type SentSpans, type Span } from '@sluice/local';

/** How the collector answers: as it should, with an error, or not at all. */
type Mood = 'takes' | 'refuses' | 'hangs';

/** A small OTLP/HTTP receiver: decodes what it is sent, and can be ill. */
export interface Collector {
  readonly url: string;
  readonly port: number;
  /** What it took so far. */
  spans(): Span[];
  /** Every byte it was ever sent, also what it refused. */
  everything(): string;
  /** Requests it got so far. */
  requests(): number;
  become(mood: Mood): void;
  close(): Promise<void>;
}

export async function startCollector(port = 0): Promise<Collector> {
  const bodies: string[] = [];
  const taken: Span[] = [];
  let mood: Mood = 'takes';
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await read(req);
    bodies.push(body);
    if (mood === 'hangs') return;
    if (mood === 'takes' && req.url === '/v1/traces') taken.push(...readSpans(JSON.parse(body) as SentSpans));
    res.statusCode = mood === 'takes' ? 200 : 500;
    res.setHeader('Content-Type', 'application/json').end('{}');
  };
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    spans: () => [...taken],
    everything: () => bodies.join('\n'),
    requests: () => bodies.length,
    become: (next) => (mood = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
