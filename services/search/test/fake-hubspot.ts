import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the fake. */
export interface SearchCall {
  readonly path: string;
  readonly token: string;
  readonly body: unknown;
}

/** What the fake answers next: a status with a body, or silence. */
export type Answer =
  { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | 'hang-up' | 'never';

export interface FakeHubspot {
  readonly url: string;
  readonly calls: SearchCall[];
  answer: Answer;
  close(): Promise<void>;
}

/** HubSpot's search endpoint, in as many lines as these tests need. */
export async function startFakeHubspot(): Promise<FakeHubspot> {
  const calls: SearchCall[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const token = req.headers.authorization?.replace('Bearer ', '') ?? '';
      calls.push({
        path: req.url ?? '',
        token,
        body: JSON.parse(Buffer.concat(chunks).toString() || 'null') as unknown,
      });
      const { answer } = fake;
      if (answer === 'never') return;
      if (answer === 'hang-up') {
        req.socket.destroy();
        return;
      }
      res.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
      res.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeHubspot = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: { status: 200, body: { total: 0, results: [] } },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

/** A reply with these records; each is its properties, with `hs_object_id` as its id. */
export function foundRecords(...records: readonly Record<string, string | null>[]): Answer {
  const results = records.map((properties) => ({
    id: properties['hs_object_id'],
    properties,
    createdAt: '2026-01-01T00:00:00.000Z',
    archived: false,
  }));
  return { status: 200, body: { total: results.length, results } };
}
