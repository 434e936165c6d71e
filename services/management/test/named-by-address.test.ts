import { startScriptedProvider, type ScriptedProvider } from '@sluice/testkit';
import type { Connection } from '@sluice/types';
import { addConnection } from './prepare-installation';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

// Zendesk and Freshdesk: the account is named by its subdomain, which the customer may rename, and no reply gives an id of it.

/** User of an account by token, API key, or the password of basic authentication. */
const users = new Map<string, number>();
let desk: ScriptedProvider;
let management: RunningManagement;
beforeAll(async () => {
  desk = await startScriptedProvider(({ headers: { authorization = '' }, token, path }) => {
    const [username = '', password = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const id = users.get(token) ?? users.get(username) ?? users.get(password);
    if (id === undefined) return { status: 401, body: { error: "Couldn't authenticate you" } };
    return { status: 200, body: path.includes('/agents/me') ? { id } : { user: { id } } };
  });
  management = await startManagement(undefined, undefined, { SLUICE_PROVIDERS_URL: desk.url });
});
afterAll(async () => {
  await management.stop();
  await desk.close();
});

let project: ProjectWithKey;
let made = 0;
beforeEach(async () => {
  project = await management.newProject();
  made += 1;
});

const connections = () => `/v1/projects/${project.id}/connections`;
const generate = (body: object) => {
  const order = { groupRef: 'g', consumerRef: 'u', provider: 'zendeskSupport', providerWorkspaceRef: `acme-${made}` };
  return management
    .as(project.key)
    .post(`${connections()}:generate`)
    .send({ ...order, ...body });
};
const get = async (id: string) =>
  (await management.as(project.key).get(`${connections()}/${id}`).expect(200)).body as Connection;
const laneOf = async (id: string) => management.database('connections').where({ id }).first<object>('lane_id');
const password = (token: string) => ({ username: 'ana@acme.test/token', password: token });

/** A connection of before new ones needed OAuth. */
const ofBefore = (token: string) =>
  addConnection(management, project.id, 'g', {
    provider: 'zendeskSupport',
    authScheme: 'basic',
    workspaceRef: `acme-${made}`,
    reportedAccountRef: `acme-${made}`,
    providerConsumerRef: String(users.get(token)),
    seal: (id) => management.context.installations.seal({ noun: 'connection', id }, { basicAuth: password(token) }),
  });

const oauth = (token: string) => ({ oauth2AuthorizationCode: { accessToken: { token } } });
describe.each([
  ['zendeskSupport', 'with OAuth', oauth],
  ['zendeskSupport', 'with an API token, of before', (token: string) => ({ basicAuth: password(token) })],
  ['freshdesk', 'with an API key', (apiKey: string) => ({ apiKey })],
  ['freshdesk', 'with its key as user name', (key: string) => ({ basicAuth: { username: key, password: 'X' } })],
] as const)('%s, %s: the subdomain was renamed', (provider, how, credentialsOf) => {
  const connected = async () => {
    users.set(`own-${made}`, 47_11).set(`again-${made}`, 47_11).set(`other-${made}`, 8);
    if (how.endsWith('of before')) return ofBefore(`own-${made}`);
    const reply = await generate({ provider, ...credentialsOf(`own-${made}`) }).expect(201);
    return (reply.body as Connection).id;
  };
  const rename = (id: string, credentials?: object) =>
    management
      .as(project.key)
      .patch(`${connections()}/${id}`)
      .send({
        updateMask: ['providerWorkspaceRef', ...Object.keys(credentials ?? {})],
        connection: { providerWorkspaceRef: `acme-new-${made}`, ...credentials },
      });

  it('200 PATCH with credentials of the same user: the same connection and lane, under the new name', async () => {
    const id = await connected();
    const [before, lane] = [await get(id), await laneOf(id)];
    const reply = await rename(id, credentialsOf(`again-${made}`)).expect(200);
    expect(reply.body).toMatchObject({ id, providerWorkspaceRef: `acme-new-${made}`, status: 'created' });
    expect(reply.body).toMatchObject({ authScheme: before.authScheme, createTime: before.createTime });
    expect(await laneOf(id)).toEqual(lane);
    const lanes = await management.as(project.key).get(`/v1/projects/${project.id}/lanes`).expect(200);
    expect(lanes.text).toContain(`"workspaceRef":"acme-new-${made}"`);
  });

  it('422 for another user, for a key that is refused, and for the stored credentials, which go to no new host', async () => {
    const id = await connected();
    const before = await get(id);
    const other = await rename(id, credentialsOf(`other-${made}`)).expect(422);
    expect(other.text).toContain(`opens the account acme-new-${made}, and the connection belongs to acme-${made}`);
    expect((await rename(id, credentialsOf('nobody')).expect(422)).text).toContain('is refused by');
    const asked = desk.calls.length;
    await rename(id).expect(422);
    expect(desk.calls.length).toBe(asked);
    expect(await get(id)).toEqual(before);
  });
});

describe('Zendesk ends API tokens', () => {
  it('422 POST connections:generate with one: the reply says since when, and what to do', async () => {
    users.set(`own-${made}`, 4_711);
    const reply = await generate({ basicAuth: password(`own-${made}`) }).expect(422);
    expect(reply.body).toMatchObject({
      code: 'connection.scheme-mismatch',
      detail: expect.stringContaining('takes no new basic, only oauth2/authorizationCode') as string,
      remedy: expect.stringMatching(/30 April 2027.*OAuth.*oauth-connect.*:oauth-update/) as string,
      issues: [{ name: 'basicAuth' }],
    });
    expect(reply.text).not.toContain(`own-${made}`);
  });

  it('200 PATCH of a connection that has one takes another, and leaves the rest', async () => {
    users.set(`own-${made}`, 4_711).set(`again-${made}`, 4_711);
    const id = await ofBefore(`own-${made}`);
    const change = { updateMask: ['basicAuth'], connection: { basicAuth: password(`again-${made}`) } };
    const reply = await management.as(project.key).patch(`${connections()}/${id}`).send(change).expect(200);
    expect(reply.body).toMatchObject({ id, authScheme: 'basic', providerWorkspaceRef: `acme-${made}` });
  });

  it('200 PATCH connections/{id}:oauth-update: the page gives the same connection tokens of OAuth', async () => {
    users.set(`own-${made}`, 4_711).set(`access-${made}`, 4_711);
    const id = await ofBefore(`own-${made}`);
    const lane = await laneOf(id);
    const app = { provider: 'zendeskSupport', clientId: 'client-1', clientSecret: 'secret-1' };
    await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
    const page = await management.as(project.key).patch(`${connections()}/${id}:oauth-update`).expect(200);
    const { answer } = desk;
    desk.answer = (call) =>
      call.path.endsWith('/oauth/tokens')
        ? { status: 200, body: { access_token: `access-${made}`, refresh_token: 'refresh-1' } }
        : answer(call);
    const query = new URLSearchParams({ state: new URL(page.text).searchParams.get('state') ?? '', code: 'code-1' });
    await management.as().get(`/callbacks/v1/oauth?${query}`).expect(200);
    desk.answer = answer;
    expect(await get(id)).toMatchObject({ id, authScheme: 'oauth2/authorizationCodePKCE', status: 'created' });
    expect(await laneOf(id)).toEqual(lane);
  });
});
