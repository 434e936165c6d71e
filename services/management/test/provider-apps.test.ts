import { useManagement, type ProjectWithKey } from './start-management';

const canary = 'canary-client-secret-31';
const management = useManagement();
let project: ProjectWithKey;
beforeEach(async () => {
  project = await management.newProject();
});

const order = { provider: 'hubspot', clientId: 'client-1', clientSecret: canary };
const path = (id?: string) => `/v1/projects/${project.id}/provider-apps${id === undefined ? '' : `/${id}`}`;
const mine = () => management.as(project.key);
const create = async (body: object = order) => {
  const reply = await mine().post(path()).send(body).expect(200);
  return reply.body as { id: string };
};
const patch = (id: string, body: object) => mine().patch(path(id)).send(body);

/** What a refresh would send. */
async function clientOf(provider = 'hubspot') {
  return await management.context.store.providerApps.findClient(project.id, provider, undefined);
}

describe('200', () => {
  it('POST makes an app, GET shows it; nobody sees the secret', async () => {
    const metadata = { authQueryParams: { prompt: ['consent'] } };
    const reply = await mine()
      .post(path())
      .send({ ...order, externalRef: 'x-1', scopes: ['crm'], metadata })
      .expect(200);
    expect(reply.body).toEqual({
      id: expect.any(String),
      projectId: project.id,
      provider: 'hubspot',
      clientId: 'client-1',
      externalRef: 'x-1',
      scopes: ['crm'],
      metadata,
      createTime: expect.any(String),
    });
    const { id } = reply.body as { id: string };
    const [one, all] = [await mine().get(path(id)).expect(200), await mine().get(path()).expect(200)];
    expect(one.body).toEqual(reply.body);
    expect(all.body).toEqual([reply.body]);
    expect(reply.text + one.text + all.text).not.toContain(canary);
  });

  it('GET shows a browser what an authorization shows anyway, and where a package is installed', async () => {
    const packageInstallURL = 'https://login.salesforce.com/packaging/installPackage.apexp?p0=04t';
    const metadata = {
      authQueryParams: { prompt: ['consent'] },
      providerParams: { packageInstallURL, quota: 'internal' },
    };
    await create({ ...order, provider: 'salesforce', externalRef: 'x-1', scopes: ['api'], metadata });
    const { id } = await create();
    const key = await management.newKey(project.id, ['frontend']);
    const shared = {
      id: expect.any(String),
      projectId: project.id,
      clientId: 'client-1',
      createTime: expect.any(String),
    };
    expect((await management.as(key).get(path()).expect(200)).body).toEqual([
      { ...shared, provider: 'salesforce', metadata: { providerParams: { packageInstallURL } } },
      { ...shared, provider: 'hubspot' },
    ]);
    await management.as(key).get(path(id)).expect(403);
    const read = await management.newKey(project.id, ['read']);
    expect((await management.as(read).get(path()).expect(200)).body).toMatchObject([{ metadata }, { id }]);
  });

  it('PATCH changes what the mask names and nothing else, and clears what has no value', async () => {
    const app = await create({ ...order, externalRef: 'x-1', scopes: ['crm'] });
    const before = await clientOf();
    const updateMask = ['clientId', 'externalRef'];
    const reply = await patch(app.id, { updateMask, providerApp: { clientId: 'client-2', scopes: ['other'] } });
    expect(reply.status).toBe(200);
    const { externalRef: _cleared, ...rest } = app as Record<string, unknown>;
    expect(reply.body).toEqual({ ...rest, clientId: 'client-2', updateTime: expect.any(String) });
    expect((await clientOf())?.sealed).toBe(before?.sealed);
    const secret = { updateMask: ['clientSecret'], providerApp: { clientSecret: `${canary}-2` } };
    const changed = await patch(app.id, secret).expect(200);
    expect(changed.text).not.toContain(canary);
    expect((await clientOf())?.sealed).not.toBe(before?.sealed);
  });

  it('DELETE forgets it', async () => {
    const { id } = await create();
    await mine().delete(path(id)).expect(204);
    await mine().get(path(id)).expect(404);
    expect(await clientOf()).toBeUndefined();
  });
});

describe('refusals', () => {
  it.each([
    ['an unknown provider', { ...order, provider: 'nothing' }, 422, 'provider.unknown'],
    ['no secret', { provider: 'hubspot', clientId: 'c' }, 400, 'request.invalid'],
    ['a secret as the name of a field', { provider: 'hubspot', clientId: 'c', [canary]: 'x' }, 400, 'request.invalid'],
  ])('POST with %s', async (_what, body, status, code) => {
    const reply = await mine().post(path()).send(body).expect(status);
    expect(reply.body).toMatchObject({ code });
    expect(reply.text).not.toContain(canary);
    expect((await mine().get(path())).body).toEqual([]);
  });

  it.each([
    ['an empty mask', { updateMask: [], providerApp: {} }, 'updateMask', 400],
    ['an unknown provider', { updateMask: ['provider'], providerApp: { provider: 'x' } }, 'providerApp.provider', 422],
  ])('PATCH with %s', async (_what, body, name, status) => {
    const { id } = await create();
    const reply = await patch(id, body).expect(status);
    expect(reply.body).toMatchObject({ issues: [{ name }] });
  });
});

describe('the app of a connection', () => {
  const connect = (body: object) => {
    management.hubspot.outcomes.set('token', { portalId: 4711 });
    const grant = { accessToken: { token: 'token' }, refreshToken: { token: 'again' } };
    const given = { groupRef: 'g', consumerRef: 'c', provider: 'hubspot', oauth2AuthorizationCode: grant, ...body };
    return mine().post(`/v1/projects/${project.id}/connections:generate`).send(given);
  };

  it('is the one that its request names, and is shown with it', async () => {
    const app = await create();
    const reply = await connect({ providerAppId: app.id }).expect(201);
    expect(reply.body).toMatchObject({ providerApp: app });
    expect(reply.text).not.toContain(canary);
  });

  it('422 when the project has no such app', async () => {
    const reply = await connect({ providerAppId: 'nothing' }).expect(422);
    expect(reply.body).toMatchObject({ code: 'connection.scheme-mismatch', issues: [{ name: 'providerAppId' }] });
  });

  it("keeps the end of the access token, which decides on its refresh, by the database's clock", async () => {
    const expiresAt = new Date(Date.now() + 30_000).toISOString();
    const grant = { accessToken: { token: 'token', expiresAt }, refreshToken: { token: 'again' }, scopes: ['crm'] };
    const { id } = (await connect({ oauth2AuthorizationCode: grant }).expect(201)).body as { id: string };
    const row = await management.database('connections').where({ id }).first<Record<string, unknown>>();
    expect(Math.abs((row['token_expires_at'] as Date).getTime() - Date.parse(expiresAt))).toBeLessThan(1_000);
    expect(row).toMatchObject({ scopes: ['crm'], token_version: 1 });
    const live = await management.context.installations.liveCredentials(project.id, id);
    expect(live.credentials).toEqual({ accessToken: 'token', refreshToken: 'again', expiresAt });
  });
});
