import { useManagement, type ProjectWithKey } from './start-management';

const canary = 'canary-token-5f1d';
const management = useManagement();
beforeAll(async () => {
  management.hubspot.outcomes.set(canary, { portalId: 4711 });
});

const order = { groupRef: 'acme', consumerRef: 'anna', provider: 'hubspot' };
const generate = (project: ProjectWithKey, body: object) =>
  management.as(project.key).post(`/v1/projects/${project.id}/connections:generate`).send(body);

async function laneAccountsOf(projectId: string): Promise<string[]> {
  return await management.database('lanes').where({ project_id: projectId }).pluck<string[]>('account_ref');
}

// Every write and search of a connection reads what is said about it: 500 searches with 0.9 MB each ended a service of 256 MiB.
it('[sec-28] 400: no more is kept about an account than its credentials may have', async () => {
  const project = await management.newProject();
  const note = (bytes: number) => ({ note: { value: 'x'.repeat(bytes - 38), source: 'input' } });
  const sent = { ...order, apiKey: canary };
  const { body: connection } = await generate(project, { ...sent, providerMetadata: note(16_384) }).expect(201);
  const providerMetadata = note(16_385);
  const refused = {
    code: 'request.invalid',
    issues: [{ detail: expect.stringMatching(/at most 16384 .* has 16385/) }],
  };
  expect((await generate(project, { ...sent, providerMetadata }).expect(400)).body).toMatchObject(refused);
  const change = { updateMask: ['providerMetadata'], connection: { providerMetadata } };
  const path = `/v1/projects/${project.id}/connections/${(connection as { id: string }).id}`;
  expect((await management.as(project.key).patch(path).send(change).expect(400)).body).toMatchObject(refused);
});

describe('201 POST connections:generate', () => {
  it('learns the account from the provider and shows no secret', async () => {
    const project = await management.newProject();
    const sent = { ...order, groupName: 'Acme Inc.', apiKey: canary, providerWorkspaceRef: '4711' };
    const reply = await generate(project, sent).expect(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      projectId: project.id,
      provider: 'hubspot',
      group: { groupRef: 'acme', groupName: 'Acme Inc.', projectId: project.id, createTime: expect.any(String) },
      consumer: { consumerRef: 'anna', consumerName: 'anna', projectId: project.id, createTime: expect.any(String) },
      providerWorkspaceRef: '4711',
      providerMetadata: { workspace: { value: '4711', source: 'input' } },
      createTime: expect.any(String),
      authScheme: 'apiKey',
      status: 'created',
    });
    expect(await laneAccountsOf(project.id)).toEqual(['4711']);
    const { id } = reply.body as { id: string };
    const live = await management.context.installations.liveCredentials(project.id, id);
    expect(live.credentials).toEqual({ apiKey: canary });
  });

  it('takes the tokens of an authorization code grant', async () => {
    const project = await management.newProject();
    const accessToken = { token: canary, expiresAt: '2030-01-01T00:00:00+01:00' };
    const refreshToken = { token: `${canary}-refresh` };
    const providerMetadata = { region: { value: 'eu1', source: 'input' } };
    const sent = {
      ...order,
      providerMetadata,
      oauth2AuthorizationCode: { accessToken, refreshToken, scopes: ['crm'] },
    };
    const reply = await generate(project, sent).expect(201);
    expect(reply.body).toMatchObject({ authScheme: 'oauth2/authorizationCode', providerMetadata });
    expect(reply.text).not.toContain(canary);
    const { id } = reply.body as { id: string };
    const live = await management.context.installations.liveCredentials(project.id, id);
    expect(live.credentials).toEqual({
      accessToken: canary,
      refreshToken: `${canary}-refresh`,
      expiresAt: accessToken.expiresAt,
    });
  });

  it.each([
    ['hangs up', 'hang-up' as const],
    ['is down', { status: 503, message: 'later' }],
    ['is out of quota', { status: 429, message: 'slow down' }],
  ])('is made with a lane of its own when the provider %s', async (_case, outcome) => {
    const project = await management.newProject();
    const token = `token-${project.id}`;
    management.hubspot.outcomes.set(token, outcome);
    const reply = await generate(project, { ...order, apiKey: token }).expect(201);
    expect(reply.body).not.toHaveProperty('providerWorkspaceRef');
    expect(await laneAccountsOf(project.id)).toEqual([`connection:${(reply.body as { id: string }).id}`]);
  });
});

describe('200 GET connections', () => {
  it('lists, filters and gets, without secrets', async () => {
    const project = await management.newProject();
    const anna = (await generate(project, { ...order, apiKey: canary })).body as { id: string };
    const ben = (await generate(project, { ...order, consumerRef: 'ben', groupRef: 'beta', apiKey: canary })).body;
    const connections = `/v1/projects/${project.id}/connections`;
    const all = await management.as(project.key).get(connections).expect(200);
    expect(all.body).toEqual([anna, ben]);
    expect(all.text).not.toContain(canary);
    const some = await management.as(project.key).get(`${connections}?provider=hubspot&groupRef=beta`).expect(200);
    expect(some.body).toEqual([ben]);
    expect((await management.as(project.key).get(`${connections}?consumerRef=nobody`).expect(200)).body).toEqual([]);
    expect((await management.as(project.key).get(`${connections}/${anna.id}`).expect(200)).body).toEqual(anna);
  });
});

describe('422 POST connections:generate', () => {
  const refused = async (body: object) => {
    const project = await management.newProject();
    const before = await management.countRows();
    const reply = await generate(project, body).expect(422);
    expect(await management.countRows()).toEqual(before);
    expect(reply.text).not.toContain(canary);
    return reply.body as { code: string; remedy: string; issues: { name: string; detail: string }[] };
  };

  it('names credentials that the provider refuses, without showing them', async () => {
    management.hubspot.outcomes.set(`${canary}-bad`, { status: 401, message: 'Authentication credentials not found.' });
    const problem = await refused({ ...order, apiKey: `${canary}-bad` });
    expect(problem).toMatchObject({ code: 'connection.scheme-mismatch', remedy: expect.stringContaining('accepts') });
    expect(problem.issues).toEqual([
      { in: 'body', name: 'apiKey', detail: expect.stringContaining('refused by HubSpot') },
    ]);
  });

  it('names a workspace that is not the one the credentials open', async () => {
    const problem = await refused({ ...order, apiKey: canary, providerWorkspaceRef: '999' });
    expect(problem.issues[0]).toMatchObject({ name: 'providerWorkspaceRef', detail: expect.stringContaining('4711') });
  });

  it('names the workspace when the provider refuses something else than the credentials', async () => {
    management.hubspot.outcomes.set(`${canary}-gone`, { status: 404, message: 'No such portal.' });
    const problem = await refused({ ...order, apiKey: `${canary}-gone`, providerWorkspaceRef: '4711' });
    expect(problem.issues[0]).toMatchObject({
      name: 'providerWorkspaceRef',
      detail: expect.stringContaining('or apiKey is refused by HubSpot'),
    });
  });
});
