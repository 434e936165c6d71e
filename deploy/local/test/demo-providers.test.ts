import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEnv, providersEnv, providerUrls } from '@sluice/config';
import { createConnectors, type Auth, type Connector } from '@sluice/connectors';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { serviceEnv } from '../src/footprints/service-env';
import { servicePorts } from '../src/service-ports';

// What `npm start` and `npm run dev` start must not reach a provider with a key that somebody types into the demo.

/** What of a provider file matters here; the rest is any that the rules take. */
const fileOf = (name: string, baseUrl: string) => `
format: 1
name: ${name}
displayName: ${name}
docsUrl: https://docs.example.com
baseUrl: ${baseUrl}
auth: { apiKey: { header: x-key } }
account: { path: /me, workspace: /id }
objects: { items: {} }
create: { method: POST, path: '/{object}', body: $fields, reply: { id: /id, record: '' } }
update:
  { method: PUT, path: '/{object}/{id}', body: $fields, reply: { id: /id, record: '' }, idForm: word, missing: { status: [404] } }
search: { method: GET, path: '/{object}', filter: { parameter: '{field}' }, rows: /items, id: /id, pageMax: 10 }
errors: [{ at: '', message: [/message] }]
rate: { limit: 100, windowMs: 1000 }
facts:
  baseUrl: 'assumed: a test'
  auth: 'assumed: a test'
  account: 'assumed: a test'
  objects: 'assumed: a test'
  create: 'assumed: a test'
  update: 'assumed: a test'
  search: 'assumed: a test'
  errors: 'assumed: a test'
  rate: 'assumed: a test'
`;

const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-providers-'));
const reached = new Set<string>();
let sandbox: RunningSandbox;
let elsewhere: RunningSandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
  // Stands for an API of the builder's own on this machine.
  elsewhere = await createSandbox({ port: 0, host: '127.0.0.1' });
  writeFileSync(join(folder, 'away.yaml'), fileOf('away', 'https://api.provider.example'));
  writeFileSync(join(folder, 'here.yaml'), fileOf('here', `http://127.0.0.1:${elsewhere.port}/rest/here`));
  const connect: (...given: never[]) => Socket = Reflect.get(Socket.prototype, 'connect');
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    const [first] = given.flat() as { host?: string; port?: number }[];
    reached.add(`${first?.host}:${first?.port}`);
    // Where this fails, nothing leaves the machine either.
    if (first?.host === '127.0.0.1') return connect.apply(this, given as never[]);
    process.nextTick(() => this.destroy(Object.assign(new Error('not in a test'), { code: 'ECONNREFUSED' })));
    return this;
  });
});
beforeEach(() => reached.clear());
afterAll(async () => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
  await Promise.all([sandbox?.close(), elsewhere?.close()]);
});

/** The connectors as each service of the demo makes them. */
function demoConnectors(env: NodeJS.ProcessEnv = {}) {
  const secrets = { adminKey: 'a'.repeat(16), credentialsKeys: `k1:${Buffer.alloc(32, 1).toString('base64')}` };
  const stack = { databaseUrl: 'postgres://x', kafkaBrokers: 'x:1', redisUrl: 'redis://x' };
  const portBase = sandbox.port - servicePorts.sandbox;
  const given = serviceEnv({ settings: { env, portBase }, secrets, withSandbox: true, ...stack });
  const config = defineEnv(providersEnv).read(
    Object.fromEntries(Object.entries(given).filter(([name]) => name in providersEnv)),
  );
  const { providersDir } = config;
  const observed = { logger: silentLogger, metrics: createMetrics('test') };
  return createConnectors({ urls: providerUrls(config), providersDir, callTimeoutMs: 5_000, ...observed });
}

/** Everything that a key, a token or a code of a customer is sent with, whatever comes of it. */
async function sendAll({ catalogue, ...connector }: Connector): Promise<void> {
  const metadata = Object.fromEntries((catalogue.metadata?.input ?? []).map(({ name }) => [name, 'com']));
  const address = { workspaceRef: 'acme', metadata };
  const app = { clientId: 'app', clientSecret: 'secret' };
  const auths = (['oauth2', 'apiKey', 'basic'] as const).map((kind): Auth => ({
    accessToken: 'key',
    kind,
    ...address,
  }));
  for (const auth of auths) {
    await Promise.allSettled([
      connector.workspace({ auth }),
      connector.describe?.({ auth, objectName: 'contacts' }),
      connector.create?.({ auth, objectName: 'contacts', fields: { email: 'a@example.com' } }),
    ]);
  }
  await Promise.allSettled([
    connector.refresh?.({ ...app, ...address, refreshToken: 'token' }),
    connector.exchangeCode?.({
      ...app,
      ...address,
      code: 'code',
      codeVerifier: 'verifier',
      redirectUri: 'https://sluice.example/callbacks/v1/oauth',
    }),
    connector.grant?.({ ...app, ...address, grant: 'clientCredentials' } as never),
  ]);
}

it('sends nothing of any provider of the registry elsewhere than to the sandbox', async () => {
  const connectors = demoConnectors();
  const all = connectors.all();
  expect(all.map(({ provider }) => provider)).toEqual(
    expect.arrayContaining(['hubspot', 'salesforce', 'close', 'zoho']),
  );
  const pages: string[] = [];
  for (const connector of all) {
    reached.clear();
    await sendAll(connector);
    // Connections are kept: who shares one with the provider before has made none.
    expect({
      provider: connector.provider,
      elsewhere: [...reached].filter((address) => !sandbox.url.endsWith(address)),
    }).toEqual({ provider: connector.provider, elsewhere: [] });
    const page = connector.authorizationUrl?.({
      clientId: 'app',
      redirectUri: 'https://sluice.example/callbacks/v1/oauth',
      state: 'state',
      codeChallenge: 'challenge',
      workspaceRef: 'acme',
      metadata: Object.fromEntries((connector.catalogue.metadata?.input ?? []).map(({ name }) => [name, 'com'])),
    });
    pages.push(...(page === undefined ? [] : [new URL(page).origin]));
  }
  expect(new Set(pages)).toEqual(new Set([sandbox.url]));
  await connectors.close();
});

it("sends nothing of a file of somebody's own elsewhere either, and says so; one of this machine stays where it is", async () => {
  const connectors = demoConnectors({ SLUICE_PROVIDERS_DIR: folder });
  const auth = { accessToken: 'key', kind: 'apiKey' as const };
  await expect(connectors.get('away').workspace({ auth })).rejects.toMatchObject({
    detail: expect.stringContaining(
      'The sandbox imitates no provider called away, and sends nothing on; it imitates: ',
    ),
  });
  expect(reached).toEqual(new Set([`127.0.0.1:${sandbox.port}`]));
  reached.clear();
  await connectors
    .get('here')
    .workspace({ auth })
    .catch(() => undefined);
  expect(reached).toEqual(new Set([`127.0.0.1:${elsewhere.port}`]));
  await connectors.close();
});
