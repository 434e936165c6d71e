import { tokenIssuer } from '@sluice/testkit';
import type { Connection, Installation, ProviderApp } from '@sluice/types';
import { useManagement, type ProjectWithKey, type Sender } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
let app: ProviderApp;
let integrationPath: string;
const packageInstallURL = 'https://provider.example/install';
beforeAll(async () => {
  management.hubspot.outcomes.set('token', { portalId: 4711 });
});
beforeEach(async () => {
  project = await management.newProject();
  const send = management.as(project.key);
  const metadata = {
    authQueryParams: { prompt: ['consent'] },
    providerParams: { packageInstallURL, quota: 'internal' },
  };
  const client = { provider: 'hubspot', clientId: 'client-1', clientSecret: 'canary' };
  const described = { ...client, externalRef: 'x-1', scopes: ['crm'], metadata };
  app = (await send.post(`${pathOf()}/provider-apps`).send(described).expect(200)).body as ProviderApp;
  const manifest = { name: 'sync', provider: 'hubspot', write: { objects: [{ objectName: 'contacts' }] } };
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [manifest] });
  await send.put(`${pathOf()}/integrations:batch`).send({ sourceYaml }).expect(200);
  const { id } = (await send.get(`${pathOf()}/integrations/sync`).expect(200)).body as { id: string };
  integrationPath = `${pathOf()}/integrations/${id}`;
});

const groupRef = 'acme';
const pathOf = () => `/v1/projects/${project.id}`;

async function bearerToken(): Promise<string> {
  const issuer = tokenIssuer();
  const key = { projectId: project.id, label: 'test', publicKeyPem: issuer.publicKeyPem };
  const { id } = await management.context.store.jwtKeys.create(key);
  return issuer.issue(id, { groupRef, consumerRef: 'ann', sub: 'ann' });
}

/** What each route of connections shows of the app. */
async function inConnections(send: Sender): Promise<Readonly<Record<string, ProviderApp | undefined>>> {
  const grant = { accessToken: { token: 'token' }, refreshToken: { token: 'again' } };
  const order = { groupRef, consumerRef: 'ann', provider: 'hubspot', providerAppId: app.id };
  const sent = { ...order, oauth2AuthorizationCode: grant };
  const made = (await send.post(`${pathOf()}/connections:generate`).send(sent).expect(201)).body as Connection;
  const path = `${pathOf()}/connections/${made.id}`;
  const change = { updateMask: ['providerMetadata'], connection: {} };
  const changed = (await send.patch(path).send(change).expect(200)).body as Connection;
  return { generate: made.providerApp, update: changed.providerApp, ...(await inReadConnections(send, made.id)) };
}

async function inReadConnections(send: Sender, id: string) {
  const one = (await send.get(`${pathOf()}/connections/${id}`).expect(200)).body as Connection;
  const all = (await send.get(`${pathOf()}/connections`).expect(200)).body as Connection[];
  return { get: one.providerApp, list: all[0]?.providerApp };
}

/** What each route of installations shows of the app of their connection. */
async function inInstallations(send: Sender): Promise<Readonly<Record<string, ProviderApp | undefined>>> {
  const content = { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } };
  const order = { groupRef, config: { content } };
  const ask = async (test: ReturnType<Sender['get']>, status = 200) =>
    (await test.expect(status)).body as Installation & Installation[];
  const made = await ask(send.post(`${integrationPath}/installations`).send(order), 201);
  const path = `${integrationPath}/installations/${made.id}`;
  const change = { updateMask: ['config.content.write.objects'], installation: { config: { content } } };
  const changes = [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }];
  const patch = { groupRef, action: 'write', changes };
  const replies = {
    create: made,
    get: await ask(send.get(path)),
    ofProject: (await ask(send.get(`${pathOf()}/installations`)))[0],
    ofIntegration: (await ask(send.get(`${integrationPath}/installations`)))[0],
    update: await ask(send.patch(path).send(change)),
    patch: await ask(send.patch(`${integrationPath}/objects/contacts/config-content`).send(patch)),
    restore: await ask(send.post(`${path}/configs/${made.config.id}:restore`)),
  };
  return Object.fromEntries(Object.entries(replies).map(([name, reply]) => [name, reply?.connection.providerApp]));
}

/** The routes that show something else than this. */
const others = (views: Readonly<Record<string, ProviderApp | undefined>>, expected: Partial<ProviderApp>) =>
  Object.entries(views).filter(([, shown]) => JSON.stringify(shown) !== JSON.stringify(expected));

describe('a connection shows as much of its app as a list of the apps does', () => {
  it.each([
    ['a key for browsers', () => management.newKey(project.id, ['frontend'])],
    ['a bearer token', bearerToken],
  ])('to %s', async (_whom, credential) => {
    const send = management.as(await credential());
    const [listed] = (await send.get(`${pathOf()}/provider-apps`).expect(200)).body as ProviderApp[];
    expect(listed).toMatchObject({ id: app.id, metadata: { providerParams: { packageInstallURL } } });
    expect(JSON.stringify(listed)).not.toContain('internal');
    expect(others(await inConnections(send), listed ?? {})).toEqual([]);
    expect(others(await inInstallations(send), listed ?? {})).toEqual([]);
  });

  it('whole to a backend, also one that only reads', async () => {
    const [full, read] = [project.key, await management.newKey(project.id, ['read'])].map((key) => management.as(key));
    if (full === undefined || read === undefined) throw new Error('two senders');
    expect(others(await inConnections(full), app)).toEqual([]);
    expect(others(await inInstallations(full), app)).toEqual([]);
    const [connection] = (await read.get(`${pathOf()}/connections`).expect(200)).body as Connection[];
    expect(others(await inReadConnections(read, connection?.id ?? ''), app)).toEqual([]);
  });
});
