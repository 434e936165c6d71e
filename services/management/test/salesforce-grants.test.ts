import type { Connection } from '@sluice/types';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
beforeAll(async () => {
  const account = { organizationId: '00D000000000001AAA', userId: '005000000000001AAA', myDomain: 'acme' };
  for (const token of ['access-1', 'access-2']) management.salesforce.accounts.set(token, account);
  const other = { ...account, organizationId: '00D000000000002AAA', myDomain: 'beta' };
  management.salesforce.accounts.set('access-other', other);
});
beforeEach(async () => {
  project = await management.newProject();
  management.salesforce.tokenEndpoint.asked.length = 0;
  give('access-1');
});

const grantTypes = ['client_credentials', 'password'];
function give(accessToken: string): void {
  const reply = { status: 200, body: { access_token: accessToken, scope: 'api' } };
  for (const grantType of grantTypes) management.salesforce.tokenEndpoint.replies.set(grantType, reply);
}
function refuse(error: string, status = 400): void {
  const reply = { status, body: { error, error_description: 'no, canary-secret' } };
  for (const grantType of grantTypes) management.salesforce.tokenEndpoint.replies.set(grantType, reply);
}

const client = { clientId: 'client-1', clientSecret: 'canary-secret' };
const user = { username: 'u@acme', password: 'canary-password', ...client };
const kinds = [
  ['oauth2/clientCredentials', 'oauth2ClientCredentials', { ...client }, { grant_type: 'client_credentials' }],
  [
    'oauth2/password',
    'oauth2PasswordCredentials',
    user,
    { grant_type: 'password', username: 'u@acme', password: 'canary-password' },
  ],
] as const;

const generate = (credentials: object, more: object = {}) =>
  management
    .as(project.key)
    .post(`/v1/projects/${project.id}/connections:generate`)
    .send({
      groupRef: 'g',
      consumerRef: 'u',
      provider: 'salesforce',
      providerWorkspaceRef: 'acme',
      ...credentials,
      ...more,
    });

describe.each(kinds)('%s', (authScheme, member, credentials, form) => {
  it('asks for a token, and connects with it', async () => {
    const reply = await generate({ [member]: credentials }).expect(201);
    expect(reply.body).toMatchObject({ authScheme, status: 'created', providerWorkspaceRef: 'acme' });
    expect(reply.text).not.toContain('canary');
    expect(management.salesforce.tokenEndpoint.asked).toEqual([
      { client_id: 'client-1', client_secret: 'canary-secret', ...form },
    ]);
    const { id } = reply.body as Connection;
    const shown = await management
      .as(project.key)
      .get(`/v1/projects/${project.id}/connections/${id}?includeCreds=true`);
    expect((shown.body as Connection).oauth2AuthorizationCode).toEqual({
      accessToken: { token: 'access-1' },
      scopes: ['api'],
    });
    expect(shown.text).not.toContain('canary');
  });

  it('asks again in place of a refresh, without an app', async () => {
    const { id } = (await generate({ [member]: credentials }).expect(201)).body as Connection;
    give('access-2');
    const { installations } = management.context;
    const [one, other] = await Promise.all([
      installations.refreshCredentials(project.id, id, 1),
      installations.refreshCredentials(project.id, id, 1),
    ]);
    expect(one).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-2' } });
    expect(other).toEqual(one);
    expect(management.salesforce.tokenEndpoint.asked).toHaveLength(2);
    refuse('invalid_grant');
    await expect(installations.refreshCredentials(project.id, id, 2)).rejects.toMatchObject({ class: 'credentials' });
    const path = `/v1/projects/${project.id}/connections/${id}`;
    expect((await management.as(project.key).get(path)).body).toMatchObject({ status: 'bad_credentials' });
  });

  it('422 when Salesforce refuses them, without showing them', async () => {
    for (const error of ['invalid_grant', 'invalid_client', 'invalid_client_id']) {
      refuse(error);
      const reply = await generate({ [member]: credentials }).expect(422);
      expect(reply.body).toMatchObject({
        issues: [{ name: member, detail: expect.stringContaining('refused by Salesforce') }],
      });
      expect(reply.text).not.toContain('canary');
    }
  });

  it('is not refused for what says nothing of it', async () => {
    refuse('unknown_error', 503);
    const reply = await generate({ [member]: credentials }).expect(502);
    expect(reply.text).not.toContain('canary');
  });

  it('takes new ones of the same account only', async () => {
    const { id } = (await generate({ [member]: credentials }).expect(201)).body as Connection;
    const path = `/v1/projects/${project.id}/connections/${id}`;
    const body = { updateMask: [member], connection: { [member]: { ...credentials, clientSecret: 'canary-new' } } };
    const patch = () => management.as(project.key).patch(path).send(body);
    give('access-other');
    expect((await patch().expect(422)).body).toMatchObject({ issues: [{ name: `connection.${member}` }] });
    give('access-2');
    expect((await patch().expect(200)).body).toMatchObject({ authScheme, status: 'created' });
    const live = await management.context.installations.storedCredentials(project.id, id);
    expect(live).toMatchObject({ tokenVersion: 2, credentials: { accessToken: 'access-2' } });
    expect(JSON.stringify(live.credentials)).toContain('canary-new');
  });
});

// A stored token must not be sent to whatever host a caller names. Reliability 4.4, row 44.
it('refuses a workspace of another account before a token goes there [sec-44]', async () => {
  const { id } = (await generate({ oauth2ClientCredentials: client }).expect(201)).body as Connection;
  management.salesforce.accounts.clear();
  const body = { updateMask: ['providerWorkspaceRef'], connection: { providerWorkspaceRef: 'evil' } };
  const path = `/v1/projects/${project.id}/connections/${id}`;
  const reply = await management.as(project.key).patch(path).send(body).expect(422);
  // Asked, Salesforce would have refused the token.
  expect(reply.body).toMatchObject({
    issues: [{ name: 'connection.providerWorkspaceRef', detail: expect.stringContaining('belongs to acme') }],
  });
});
