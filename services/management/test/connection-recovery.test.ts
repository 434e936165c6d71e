import type { Connection, Installation } from '@sluice/types';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';
import { useManagement } from './start-management';

/** The account of the installation, another one, and a provider that does not answer. */
const tokens = { old: 'token-old', fresh: 'token-fresh', other: 'token-other', down: 'token-down' };
const management = useManagement();
let customer: PreparedInstallation;
beforeAll(async () => {
  management.hubspot.outcomes.set(tokens.fresh, { portalId: 424242 });
  management.hubspot.outcomes.set(tokens.other, { portalId: 8 });
  management.hubspot.outcomes.set(tokens.down, { status: 503, message: 'later' });
});
beforeEach(async () => {
  const seal = (id: string) =>
    management.context.installations.seal({ noun: 'connection', id }, { apiKey: tokens.old });
  customer = await prepareInstallation(management, { seal });
  const { projectId, connectionId } = customer.seed;
  const version = { projectId, connectionId, tokenVersion: 1 };
  await management.context.store.connections.setStatus({ ...version, status: 'bad_credentials' });
});

const order = { groupRef: 'group-1', consumerRef: 'user-1', provider: 'hubspot' };
const connections = () => `/v1/projects/${customer.seed.projectId}/connections`;
const generate = (body: object, status = 201) =>
  customer.send
    .post(`${connections()}:generate`)
    .send({ ...order, ...body })
    .expect(status);
const list = async () => (await customer.send.get(connections()).expect(200)).body as Connection[];
const stored = () =>
  management.context.installations.storedCredentials(customer.seed.projectId, customer.seed.connectionId);
const isUnchanged = async () => {
  expect(await stored()).toMatchObject({ tokenVersion: 1, credentials: { apiKey: tokens.old } });
  expect((await customer.get()).connection.status).toBe('bad_credentials');
};

describe('connections:generate for the group, consumer and provider of an installation', () => {
  it('renews the connection that the installation uses, and keeps no second one', async () => {
    const { connectionId } = customer.seed;
    const reply = await generate({ apiKey: tokens.fresh, groupName: 'Group One' });
    expect(reply.body).toMatchObject({ id: connectionId, status: 'created', group: { groupName: 'Group One' } });
    expect(await list()).toEqual([reply.body]);
    expect(await customer.get()).toMatchObject<Partial<Installation>>({ healthStatus: 'healthy' });
    expect(await stored()).toMatchObject({ tokenVersion: 2, credentials: { apiKey: tokens.fresh } });
  });

  it('takes another kind of credentials, and metadata beside what there is', async () => {
    const item = (value: string) => ({ value, source: 'input' as const });
    await customer.send
      .patch(`${connections()}/${customer.seed.connectionId}`)
      .send({ updateMask: ['providerMetadata'], connection: { providerMetadata: { plan: item('gold') } } })
      .expect(200);
    const accessToken = { token: tokens.fresh };
    const refreshToken = { token: 'refresh' };
    const reply = await generate({
      oauth2AuthorizationCode: { accessToken, refreshToken, scopes: ['crm'] },
      providerMetadata: { region: item('eu1') },
    });
    expect(reply.body).toMatchObject({
      id: customer.seed.connectionId,
      authScheme: 'oauth2/authorizationCode',
      providerMetadata: { plan: item('gold'), region: item('eu1') },
    });
    expect((await stored()).credentials).toEqual({ accessToken: tokens.fresh, refreshToken: 'refresh' });
  });

  it('makes a connection of its own for another kind of credentials beside those that work', async () => {
    const { connectionId } = customer.seed;
    await generate({ apiKey: tokens.fresh });
    const reply = await generate({ oauth2AuthorizationCode: { accessToken: { token: tokens.fresh } } });
    expect(reply.body).not.toMatchObject({ id: connectionId });
    expect(await stored()).toMatchObject({ credentials: { apiKey: tokens.fresh } });
  });

  it('renews the one whose credentials are bad where two installations use one each', async () => {
    const { projectId } = customer.seed;
    const { store, installations } = management.context;
    const newer = await store.connections.create({
      projectId,
      ...order,
      authScheme: 'apiKey',
      reportedAccountRef: '424242',
      seal: (id) => installations.seal({ noun: 'connection', id }, { apiKey: tokens.old }),
    });
    const { latestRevision, id: integrationId } = await store.integrations.create({
      projectId,
      name: 'second',
      provider: 'hubspot',
      specVersion: '1.0.0',
      content: { name: 'second', provider: 'hubspot' },
    });
    await store.installations.create({
      projectId,
      integrationId,
      groupRef: order.groupRef,
      connectionId: newer.id,
      createdBy: 'consumer:user-1',
      config: { revisionId: latestRevision.id, content: { provider: 'hubspot' }, createdBy: 'builder:test' },
    });
    expect((await generate({ apiKey: tokens.fresh })).body).toMatchObject({ id: customer.seed.connectionId });
  });

  // The lane belongs to the account: credentials of another one must never be used for this installation's writes.
  it.each([
    ['another account', { apiKey: tokens.other }],
    ['another consumer', { apiKey: tokens.fresh, consumerRef: 'user-2' }],
    ['another group', { apiKey: tokens.fresh, groupRef: 'group-2' }],
  ])('makes a connection of its own for %s', async (_case, body) => {
    const reply = await generate(body);
    expect((reply.body as Connection).id).not.toBe(customer.seed.connectionId);
    expect(await list()).toHaveLength(2);
    await isUnchanged();
  });

  it('makes a connection of its own beside one that no installation uses', async () => {
    const spare = { ...order, consumerRef: 'user-3', apiKey: tokens.fresh };
    const first = await generate(spare);
    expect((await generate(spare)).body).not.toMatchObject({ id: (first.body as Connection).id });
  });

  it('502, and nothing changes, while the provider cannot say which account it is', async () => {
    expect((await generate({ apiKey: tokens.down }, 502)).body).toMatchObject({ code: 'provider.unavailable' });
    expect(await list()).toHaveLength(1);
    await isUnchanged();
  });

  it('422, and nothing changes, for credentials that the provider refuses', async () => {
    expect((await generate({ apiKey: 'token-nobody-knows' }, 422)).body).toMatchObject({
      code: 'connection.scheme-mismatch',
      issues: [{ name: 'apiKey' }],
    });
    await isUnchanged();
  });
});

describe('PATCH of a connection with the tokens of an authorization', () => {
  const patch = (connection: object, status = 200) =>
    customer.send
      .patch(`${connections()}/${customer.seed.connectionId}`)
      .send({ updateMask: ['oauth2AuthorizationCode'], connection })
      .expect(status);
  const grant = (token: string) => ({
    oauth2AuthorizationCode: { accessToken: { token }, refreshToken: { token: 'refresh' }, scopes: ['crm'] },
  });

  it.each(['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'] as const)(
    'replaces those of a connection of %s, which stays one',
    async (authScheme) => {
      const { projectId, connectionId } = customer.seed;
      const sealed = management.context.installations.seal(
        { noun: 'connection', id: connectionId },
        { accessToken: tokens.old },
      );
      const change = { projectId, connectionId, credentials: { sealed, authScheme } };
      await management.context.store.connections.change(change);
      const reply = await patch(grant(tokens.fresh));
      expect(reply.body).toMatchObject({ id: connectionId, authScheme, status: 'created' });
      expect(reply.text).not.toContain(tokens.fresh);
      expect((await stored()).credentials).toEqual({ accessToken: tokens.fresh, refreshToken: 'refresh' });
      const refused = (await patch(grant(tokens.other), 422)).body as { issues: { name: string }[] };
      expect(refused.issues.map(({ name }) => name)).toEqual(['connection.oauth2AuthorizationCode.accessToken.token']);
    },
  );

  it('422 for a connection of another kind, which names connections:generate', async () => {
    const problem = (await patch(grant(tokens.fresh), 422)).body as { remedy: string; issues: { name: string }[] };
    expect(problem.issues.map(({ name }) => name)).toEqual(['connection.oauth2AuthorizationCode']);
    expect(problem.remedy).toContain('connections:generate');
    await isUnchanged();
  });
});
