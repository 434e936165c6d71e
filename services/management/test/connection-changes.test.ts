import type { Connection } from '@sluice/types';
import { prepareInstallation } from './prepare-installation';
import { useManagement, type ProjectWithKey } from './start-management';

const canary = 'canary-token-77aa';
const management = useManagement();
let project: ProjectWithKey;
let connection: Connection;
beforeAll(async () => {
  management.hubspot.outcomes.set(canary, { portalId: 4711 });
  management.hubspot.outcomes.set(`${canary}-new`, { portalId: 4711 });
  management.hubspot.outcomes.set(`${canary}-other`, { portalId: 8 });
  management.hubspot.outcomes.set(`${canary}-down`, { status: 503, message: 'later' });
});
beforeEach(async () => {
  project = await management.newProject();
  connection = (await generate({ apiKey: canary })).body as Connection;
});

const order = { groupRef: 'acme', consumerRef: 'anna', provider: 'hubspot' };
const generate = (credentials: object) =>
  management
    .as(project.key)
    .post(`/v1/projects/${project.id}/connections:generate`)
    .send({ ...order, ...credentials });
const path = () => `/v1/projects/${project.id}/connections/${connection.id}`;
const patch = (updateMask: string[], values: object, key = project.key) =>
  management.as(key).patch(path()).send({ updateMask, connection: values });
const stored = () => management.context.installations.storedCredentials(project.id, connection.id);

describe('200 PATCH connections/{id}', () => {
  it('replaces an API key of the same account, and starts again', async () => {
    const key = { projectId: project.id, connectionId: connection.id, tokenVersion: 1 };
    await management.context.store.connections.setStatus({ ...key, status: 'bad_credentials' });
    const reply = await patch(['apiKey'], { apiKey: `${canary}-new`, groupRef: 'ignored' }).expect(200);
    expect(reply.body).toMatchObject({ id: connection.id, status: 'created', updateTime: expect.any(String) });
    expect((reply.body as Connection).group.groupRef).toBe('acme');
    expect(reply.text).not.toContain(canary);
    expect(await stored()).toMatchObject({ tokenVersion: 2, credentials: { apiKey: `${canary}-new` } });
  });

  it('sets and clears metadata, and leaves the credentials alone', async () => {
    const providerMetadata = { region: { value: 'eu1', source: 'input' } };
    expect((await patch(['providerMetadata'], { providerMetadata }).expect(200)).body).toMatchObject({
      providerMetadata,
    });
    const cleared = (await patch(['providerMetadata'], {}).expect(200)).body as Connection;
    // The workspace is the connection's own, whatever the metadata says.
    expect(cleared.providerMetadata).toEqual({ workspace: { value: '4711', source: 'provider' } });
    expect(await stored()).toMatchObject({ tokenVersion: 1 });
  });

  it('takes the workspace that the stored credentials open', async () => {
    const reply = await patch(['providerWorkspaceRef'], { providerWorkspaceRef: '4711' }).expect(200);
    expect(reply.body).toMatchObject({ providerWorkspaceRef: '4711' });
  });
});

describe('4xx and 5xx PATCH connections/{id}', () => {
  const unchanged = async (status: number, code: string, updateMask: string[], values: object) => {
    const reply = await patch(updateMask, values).expect(status);
    expect(reply.body).toMatchObject({ code });
    expect(reply.text).not.toContain(canary);
    expect(await stored()).toMatchObject({ tokenVersion: 1, credentials: { apiKey: canary } });
    return reply.body as { issues: { name: string; detail: string }[] };
  };

  // Another workspace means another connection, because the lane belongs to the account.
  it.each([
    ['credentials of another account', { apiKey: `${canary}-other` }, 'connection.apiKey'],
    ['credentials that are refused', { apiKey: `${canary}-unknown` }, 'connection.apiKey'],
    ['a workspace that they do not open', { providerWorkspaceRef: '999' }, 'connection.providerWorkspaceRef'],
    [
      'another kind',
      { oauth2ClientCredentials: { clientId: 'c', clientSecret: canary } },
      'connection.oauth2ClientCredentials',
    ],
  ])('422 for %s', async (_case, values, name) => {
    const problem = await unchanged(422, 'connection.scheme-mismatch', Object.keys(values), values);
    expect(problem.issues.map((issue) => issue.name)).toEqual([name]);
  });

  it('502 when the provider cannot be asked', async () => {
    const problem = await unchanged(502, 'provider.unavailable', ['apiKey'], { apiKey: `${canary}-down` });
    expect(problem).not.toHaveProperty('issues');
  });
});

describe('DELETE connections/{id}', () => {
  it('204, and it is gone', async () => {
    await management.as(project.key).delete(path()).expect(204);
    await management.as(project.key).get(path()).expect(404);
  });

  it('409 while an installation uses it, naming it', async () => {
    const { seed, send } = await prepareInstallation(management);
    const url = `/v1/projects/${seed.projectId}/connections/${seed.connectionId}`;
    const reply = await send.delete(url).expect(409);
    expect(reply.body).toMatchObject({
      code: 'connection.in-use',
      detail: expect.stringContaining(seed.installationId),
    });
    await send.get(url).expect(200);
  });
});

describe('GET connections/{id} with secrets [sec-4]', () => {
  it('shows the API key to a full key that asks, and nobody keeps the reply', async () => {
    const reply = await management.as(project.key).get(`${path()}?includeCreds=true`).expect(200);
    expect(reply.body).toEqual({ ...connection, apiKey: canary });
    expect(reply.headers['cache-control']).toBe('no-store');
    expect((await management.as(project.key).get(`${path()}?includeCreds=false`).expect(200)).body).toEqual(connection);
  });

  it('shows tokens with their scopes; the refresh token only when it is named', async () => {
    const scopes = ['crm.objects.contacts.write'];
    const tokens = { accessToken: { token: canary }, refreshToken: { token: 'refresh-1' }, scopes };
    connection = (await generate({ oauth2AuthorizationCode: tokens })).body as Connection;
    const show = async (query: string) =>
      (await management.as(project.key).get(`${path()}?${query}`).expect(200)).body as Connection;
    const { refreshToken, ...shown } = tokens;
    expect((await show('includeCreds=true')).oauth2AuthorizationCode).toEqual(shown);
    expect((await show('includeRefreshToken=true')).oauth2AuthorizationCode).toEqual({ ...shown, refreshToken });
  });

  it('refreshes by force, and shows the new token', async () => {
    const tokens = { accessToken: { token: canary }, refreshToken: { token: 'refresh-1' } };
    const app = { provider: 'hubspot', clientId: 'app', clientSecret: 'app-secret' };
    await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
    connection = (await generate({ oauth2AuthorizationCode: tokens })).body as Connection;
    const body = { access_token: 'fresh-1', refresh_token: 'refresh-2', expires_in: 1800 };
    management.hubspot.tokenEndpoint.replies.set('refresh_token', { status: 200, body });
    const reply = await management.as(project.key).get(`${path()}?includeRefreshToken=true&refresh=force`).expect(200);
    expect(reply.body).toMatchObject({
      status: 'created',
      oauth2AuthorizationCode: {
        accessToken: { token: 'fresh-1', expiresAt: expect.stringMatching(/Z$/) },
        refreshToken: { token: 'refresh-2' },
      },
    });
    const again = await management.as(project.key).get(`${path()}?includeCreds=true&refresh=ifExpired`).expect(200);
    expect((again.body as Connection).oauth2AuthorizationCode?.accessToken?.token).toBe('fresh-1');
  });
});
