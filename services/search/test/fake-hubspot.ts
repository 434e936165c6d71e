import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the fake. */
export interface SearchCall {
  readonly path: string;
  readonly token: string;
  readonly body: unknown;
}

/** The properties of every object of the fake's account. */
export const propertyNames = ['email', 'city', 'nickname'];

/** What the fake answers next: a status with a body, or silence. */
export type Answer =
  { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | 'hang-up' | 'never';

export interface FakeHubspot {
  readonly url: string;
  readonly calls: SearchCall[];
  /** To searches. */
  answer: Answer;
  /** To reads of an object's properties. @default a list of `propertyNames` */
  properties: Answer;
  /** To token refreshes. @default 400 invalid_grant */
  tokens: Answer;
  /** Access tokens that are refused with 401, wherever they come. */
  readonly ended: Set<string>;
  close(): Promise<void>;
}

/** HubSpot's search, properties and token endpoint, in as many lines as these tests need. It has no schemas. */
export async function startFakeHubspot(): Promise<FakeHubspot> {
  const calls: SearchCall[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const token = req.headers.authorization?.replace('Bearer ', '') ?? '';
      const text = Buffer.concat(chunks).toString();
      const isForm = req.headers['content-type'] === 'application/x-www-form-urlencoded';
      calls.push({ path: req.url ?? '', token, body: isForm ? text : (JSON.parse(text || 'null') as unknown) });
      const answer = answerTo(fake, req.url ?? '', token);
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
    properties: {
      status: 200,
      body: { results: propertyNames.map((name) => ({ name, label: name, type: 'string' })) },
    },
    tokens: { status: 400, body: { error: 'invalid_grant', status: 'BAD_REFRESH_TOKEN', message: 'gone' } },
    ended: new Set(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function answerTo({ answer, properties, tokens, ended }: FakeHubspot, path: string, token: string): Answer {
  if (path === '/oauth/v1/token') return tokens;
  if (ended.has(token)) return { status: 401, body: { status: 'error', message: 'The token expired.' } };
  if (path.startsWith('/crm/v3/properties/')) return properties;
  return path.includes('/schemas/') ? { status: 403, body: { status: 'error', message: 'No scope.' } } : answer;
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
