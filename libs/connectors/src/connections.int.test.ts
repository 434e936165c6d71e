import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { patientMs } from '../test/provider-stub';
import type { Connector, ConnectorRegistry } from './connector';
import { createHttpClient } from './http-client';
import { createConnectors } from './registry';

/** A provider that counts who connects, and answers every record of a batch. */
interface Counter {
  readonly url: string;
  readonly connections: number;
  readonly requests: string[];
  close(): void;
}

async function startCounter(): Promise<Counter> {
  let connections = 0;
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      const text = Buffer.concat(chunks).toString();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerOf(request.url ?? '', text === '' ? {} : (JSON.parse(text) as Batch))));
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Batch {
  readonly inputs?: readonly { id?: string; objectWriteTraceId?: string }[];
  readonly records?: readonly { id?: string }[];
}

const idOf = (at: number) => `003ak00000${String(at).padStart(5, '0')}AAA`;

function answerOf(path: string, { inputs, records }: Batch): unknown {
  if (records) return records.map(({ id }, at) => ({ id: id ?? idOf(at), success: true, errors: [] }));
  const results = inputs?.map(({ id, objectWriteTraceId }, at) => ({
    id: id ?? String(at + 1),
    properties: {},
    objectWriteTraceId,
  }));
  if (results) return { status: 'COMPLETE', results };
  return path.includes('/sobjects/') ? { id: idOf(0), success: true, errors: [] } : { id: '1', properties: {} };
}

let provider: Counter;
let connectors: ConnectorRegistry;
beforeEach(async () => {
  provider = await startCounter();
  const urls = { hubspot: provider.url, salesforceLogin: provider.url, salesforceInstance: provider.url };
  const metrics = createMetrics('test');
  connectors = createConnectors({ urls, callTimeoutMs: patientMs, logger: silentLogger, metrics });
});
afterEach(async () => {
  await connectors.close();
  provider.close();
});

const names = ['hubspot', 'salesforce'] as const;
const objects = { hubspot: 'contacts', salesforce: 'Contact' };
const call = (name: (typeof names)[number], account = 'a') => ({
  auth: { accessToken: `token-of-${account}`, workspaceRef: account },
  objectName: objects[name],
});

describe.each(names)('%s', (name) => {
  const open = () => connectors.get(name) as Required<Connector>;

  test('writes one after the other share one connection, whatever the account', async () => {
    const connector = open();
    for (let at = 0; at < 50; at += 1)
      await connector.create({ ...call(name, at % 2 ? 'a' : 'b'), fields: { LastName: `${at}` } });
    expect([provider.connections, provider.requests.length]).toEqual([1, 50]);
  });

  test('writes at the same time have a connection each, which the next ones use again', async () => {
    const connector = open();
    const together = () =>
      Promise.all(
        Array.from({ length: 8 }, (_, at) => connector.create({ ...call(name), fields: { LastName: `${at}` } })),
      );
    for (let round = 0; round < 5; round += 1) await together();
    expect(provider.requests).toHaveLength(40);
    expect(provider.connections).toBeLessThanOrEqual(8);
  });

  // The specification's limit of a batch, and one call for it.
  test('a batch of 100 is one call', async () => {
    const connector = open();
    const created = await connector.createBatch({
      ...call(name),
      records: Array.from({ length: 100 }, (_, at) => ({ fields: { LastName: `${at}` } })),
    });
    expect([created.filter(({ ok }) => ok).length, provider.requests.length]).toEqual([100, 1]);
    const updated = await connector.updateBatch({
      ...call(name),
      records: Array.from({ length: 100 }, (_, at) => ({ recordId: idOf(at), fields: { LastName: 'x' } })),
    });
    expect([updated.filter(({ ok }) => ok).length, provider.requests.length]).toEqual([100, 2]);
  });
});

test('accounts with a host each have connections of their own, and one account uses one', async () => {
  const other = await startCounter();
  const client = createHttpClient({
    baseUrl: 'http://127.0.0.1:1',
    callTimeoutMs: patientMs,
    egress: { trustedOrigins: [provider.url, other.url] },
  });
  try {
    for (let at = 0; at < 20; at += 1) {
      const { url } = at % 2 ? provider : other;
      const { kind } = await client.send({ method: 'POST', origin: url, path: '/x', headers: {}, body: {} });
      expect(kind).toBe('reply');
    }
    expect([provider.connections, other.connections]).toEqual([1, 1]);
  } finally {
    await client.close();
    other.close();
  }
});
