import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSluiceClient } from '@sluice/client';
import { describeObjects, writeRecord, type Agent } from './handlers';

// A service whose replies a test chooses: those that are lost, and what is asked at the same time.
let server: Server;
let answer: (req: IncomingMessage, res: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((req, res) => {
    req.resume();
    req.on('end', () => answer(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function agent(): Required<Agent> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const addresses = { baseUrl: url, searchUrl: url, writeUrl: url };
  const client = createSluiceClient({ ...addresses, apiKey: 'k', projectIdOrName: 'demo', retries: 0 });
  return { management: client.management, search: client.search, write: client.write, groupRef: 'acme' };
}

function send(res: ServerResponse, document: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(document));
}

const textOf = ({ content }: Awaited<ReturnType<typeof describeObjects>>): string =>
  content[0]?.type === 'text' ? content[0].text : '';

const asked = { integration: 'crm', object: 'contacts', fields: { email: 'a@b.co' } };
const call = { ...asked, dryRun: false, asynchronous: false };
const unknown = { code: 'service.unavailable', detail: 'Not known.', remedy: 'Repeat it.', retryable: false };

it.each([
  ['lost', (res: ServerResponse) => res.destroy(), 'unreachable'],
  ['that it is not known', (res: ServerResponse) => send(res, unknown, 503), 'service.unavailable'],
])('gives the key of a write whose reply is %s, and sends it so that no other group can take it', async (...row) => {
  const [, lose, code] = row;
  const keys: unknown[] = [];
  answer = (req, res) => {
    keys.push(req.headers['idempotency-key']);
    lose(res);
  };
  interface Failed {
    readonly error: { readonly code: string; readonly idempotencyKey: string; readonly repeat: string };
  }
  const { error } = JSON.parse(textOf(await writeRecord(agent(), call))) as Failed;
  expect(error).toMatchObject({ code, repeat: expect.stringContaining('must carry this idempotencyKey') as string });
  const { idempotencyKey } = error;
  await writeRecord(agent(), { ...call, idempotencyKey });
  const sent = createHash('sha256').update(`acme\0${idempotencyKey}`).digest('hex');
  expect(keys).toEqual([sent, sent]);
  await writeRecord({ ...agent(), groupRef: 'other' }, { ...call, idempotencyKey });
  expect(keys[2]).not.toBe(sent);
});

it('reads each integration once, and eight at a time at most', async () => {
  const count = 20;
  const installations = Array.from({ length: 2 * count }, (_, at) => ({
    id: `installation-${at}`,
    integrationId: `integration-${at % count}`,
    healthStatus: 'healthy',
    connection: { status: 'working' },
    config: { content: {} },
  }));
  const read: string[] = [];
  const held: (() => void)[] = [];
  const together: number[] = [];
  const release = () => {
    together.push(held.length);
    for (const each of held.splice(0)) each();
  };
  answer = (req, res) => {
    const id = /integrations\/([^/]+)$/.exec(req.url ?? '')?.[1];
    if (id === undefined) return send(res, installations);
    read.push(id);
    held.push(() => send(res, { id, name: id, provider: 'hubspot', latestRevision: { content: {} } }));
    // Time for those that should not come as well.
    if (held.length === 1) setTimeout(release, 100);
  };
  const { integrations } = JSON.parse(textOf(await describeObjects(agent(), {}))) as {
    readonly integrations: readonly { readonly id: string }[];
  };
  expect(integrations.map(({ id }) => id)).toEqual(installations.map(({ integrationId }) => integrationId));
  expect(read.toSorted()).toEqual([...new Set(installations.map(({ integrationId }) => integrationId))].toSorted());
  expect(Math.max(...together)).toBeLessThanOrEqual(8);
});
