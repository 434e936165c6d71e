import { startScriptedProvider, type ScriptedProvider } from '@sluice/testkit';
import type { Connection, ProviderInfo } from '@sluice/types';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

// Providers that are rows of a table: their accounts are connected, and nothing of ours reads or writes them.

/** Every provider's host, token endpoints included. */
let providers: ScriptedProvider;
let management: RunningManagement;
let project: ProjectWithKey;
let catalogue: readonly ProviderInfo[];
beforeAll(async () => {
  providers = await startScriptedProvider(({ method, token }) => {
    if (method === 'POST')
      return { status: 200, body: { access_token: 'given', refresh_token: 'again', expires_in: 60 } };
    return token === 'refused' ? { status: 401, body: { message: 'no such token' } } : { status: 200, body: {} };
  });
  management = await startManagement(undefined, undefined, { SLUICE_PROVIDERS_URL: providers.url });
  const all = (await management.as().get('/v1/providers').expect(200)).body as Record<string, ProviderInfo>;
  catalogue = Object.values(all).filter(({ support }) => !support.write);
});
afterAll(async () => {
  await management.stop();
  await providers.close();
});
beforeEach(async () => {
  project = await management.newProject();
});

const post = (path: string, body: object) =>
  management.as(project.key).post(`/v1/projects/${project.id}/${path}`).send(body);
const deploy = (integrations: readonly object[]) =>
  management
    .as(project.key)
    .put(`/v1/projects/${project.id}/integrations:batch`)
    .send({ sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }) });
const generate = (body: object) => post('connections:generate', { consumerRef: 'u', ...body });

/** What a customer is asked for besides credentials. */
function addressOf({ metadata }: ProviderInfo) {
  const names = (metadata?.input ?? []).map(({ name }) => name);
  const others = names.filter((name) => name !== 'workspace').map((name) => [name, { value: 'eu', source: 'input' }]);
  return {
    ...(names.includes('workspace') && { providerWorkspaceRef: 'acme' }),
    ...(others.length > 0 && { providerMetadata: Object.fromEntries(others) as object }),
  };
}

/** The customer allows the builder's app in, and comes back with a code. */
async function connectByPage(provider: ProviderInfo, groupRef: string): Promise<void> {
  const { name } = provider;
  await post('provider-apps', { provider: name, clientId: 'client-1', clientSecret: 'canary' }).expect(200);
  const order = { projectIdOrName: project.name, provider: name, groupRef, consumerRef: 'u', ...addressOf(provider) };
  const page = await management.as(project.key).post('/v1/oauth-connect').send(order).expect(200);
  const state = new URL(page.text).searchParams.get('state') ?? '';
  await management
    .as()
    .get(`/callbacks/v1/oauth?${new URLSearchParams({ state, code: 'code-1' })}`)
    .expect(200);
}

async function connect(provider: ProviderInfo, groupRef: string): Promise<Connection> {
  const order = { provider: provider.name, groupRef, ...addressOf(provider) };
  const client = { clientId: 'client-1', clientSecret: 'canary' };
  if (provider.authType === 'apiKey') await generate({ ...order, apiKey: 'canary' }).expect(201);
  else if (provider.authType === 'basic') {
    await generate({ ...order, basicAuth: { username: 'u', password: 'canary' } }).expect(201);
  } else if (provider.authType === 'none') await generate(order).expect(201);
  else if (provider.oauth2Opts?.grantType === 'clientCredentials') {
    await generate({ ...order, oauth2ClientCredentials: client }).expect(201);
  } else if (provider.oauth2Opts?.grantType === 'password') {
    const password = { ...client, username: 'u', password: 'canary' };
    await generate({ ...order, oauth2PasswordCredentials: password }).expect(201);
  } else await connectByPage(provider, groupRef);
  const list = await management
    .as(project.key)
    .get(`/v1/projects/${project.id}/connections?groupRef=${groupRef}`)
    .expect(200);
  return (list.body as Connection[])[0] as Connection;
}

it('are two hundred, each of which deploys and connects an account', async () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(200);
  await deploy(catalogue.map(({ name }) => ({ name: `${name}-crm`, provider: name }))).expect(200);
  for (const provider of catalogue) {
    const connection = await connect(provider, `of-${provider.name}`);
    expect(connection).toMatchObject({ provider: provider.name, status: 'created' });
  }
});

it('credentials are refused where the provider is known to have a check, and tried nowhere else', async () => {
  const of = (name: string) => ({ provider: name, groupRef: 'g', apiKey: 'refused' });
  const reply = await generate(of('reply')).expect(422);
  expect(reply.body).toMatchObject({ issues: [{ name: 'apiKey', detail: expect.stringContaining('no such token') }] });
  await generate(of('accuLynx')).expect(201);
  expect(providers.calls.filter(({ path }) => path.startsWith('/accuLynx'))).toEqual([]);
});

it('two customers have two lanes, and one who connects again keeps the connection', async () => {
  const make = async (groupRef: string, apiKey: string) =>
    (await generate({ provider: 'accuLynx', groupRef, apiKey }).expect(201)).body as Connection;
  const [one, other] = [await make('a', 'first'), await make('b', 'second')];
  const lanes = await management.database('connections').whereIn('id', [one.id, other.id]).select('lane_id');
  expect(new Set(lanes.map(({ lane_id: id }: { lane_id: string }) => id)).size).toBe(2);
});

it('objects that a manifest writes or reads there are named as a warning', async () => {
  const integration = {
    name: 'crm',
    provider: 'accuLynx',
    write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
  };
  const reply = await deploy([integration]).expect(200);
  expect(reply.headers['sluice-warning']).toContain(
    'accuLynx has no write.objects.contacts: refused there; it is only connected',
  );
});
