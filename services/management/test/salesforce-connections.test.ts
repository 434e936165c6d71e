import type { Connection } from '@sluice/types';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
beforeAll(async () => {
  project = await management.newProject();
});

const account = { organizationId: '00D000000000001AAA', userId: '005000000000001AAA' };
const generate = (token: string, more: object = {}) =>
  management
    .as(project.key)
    .post(`/v1/projects/${project.id}/connections:generate`)
    .send({
      groupRef: 'acme',
      consumerRef: 'anna',
      provider: 'salesforce',
      oauth2AuthorizationCode: { accessToken: { token }, refreshToken: { token: `${token}-refresh` } },
      ...more,
    });

describe('201 POST connections:generate for Salesforce', () => {
  it('learns the My Domain, when none is given and when the same one is given in another case', async () => {
    management.salesforce.accounts.set('token-1', { ...account, myDomain: 'acme--uat.sandbox' });
    for (const more of [{}, { providerWorkspaceRef: 'Acme--UAT.sandbox' }]) {
      const reply = await generate('token-1', more).expect(201);
      expect(reply.body).toMatchObject({
        provider: 'salesforce',
        providerWorkspaceRef: 'acme--uat.sandbox',
        providerConsumerRef: account.userId,
        authScheme: 'oauth2/authorizationCode',
        status: 'created',
      });
      expect(reply.text).not.toContain('token-1');
    }
  });
});

// Published clients know the workspace as an input of the provider, and send and read it in the metadata.
describe('the workspace as `providerMetadata.workspace`', () => {
  const workspace = (value: string) => ({ workspace: { value, source: 'input' } });

  it('201 is the place that is asked, and stands in replies; reported by the provider when nobody gave it', async () => {
    management.salesforce.accounts.set('token-5', account);
    const named = await generate('token-5', { providerMetadata: workspace('Eta') }).expect(201);
    expect(named.body).toMatchObject({ providerWorkspaceRef: 'eta', providerMetadata: workspace('eta') });
    management.salesforce.accounts.set('token-6', { ...account, myDomain: 'theta' });
    const learned = await generate('token-6').expect(201);
    expect(learned.body).toMatchObject({
      providerWorkspaceRef: 'theta',
      providerMetadata: { workspace: { value: 'theta', source: 'provider' } },
    });
  });

  // What the published browser client sends whose connection lacks an input.
  it('PATCH takes its own again without a question to the provider, and refuses another', async () => {
    management.salesforce.accounts.set('token-8', { ...account, myDomain: 'iota' });
    const { id } = (await generate('token-8').expect(201)).body as Connection;
    management.salesforce.accounts.delete('token-8');
    const patch = (value: string) =>
      management
        .as(project.key)
        .patch(`/v1/projects/${project.id}/connections/${id}`)
        .send({ updateMask: ['providerMetadata'], connection: { providerMetadata: workspace(value) } });
    expect((await patch('Iota').expect(200)).body).toMatchObject({
      providerWorkspaceRef: 'iota',
      providerMetadata: workspace('iota'),
    });
    expect((await patch('kappa').expect(422)).body).toMatchObject({ code: 'connection.scheme-mismatch' });
  });
});

// A name in an address is no identity: the customer may change it, and then the old one leads nowhere.
describe('an organization whose My Domain was renamed', () => {
  const renamed = async (name: string) => {
    const own = { ...account, organizationId: `00D00000000000${name.length}AAA` };
    management.salesforce.accounts.set(`token-${name}`, { ...own, myDomain: name });
    const { id } = (await generate(`token-${name}`, { groupRef: name }).expect(201)).body as Connection;
    const laneOf = async () => management.database('connections').where({ id }).first<object>('lane_id');
    management.salesforce.accounts.set(`token-${name}`, { ...own, myDomain: `${name}-new` });
    const patch = (providerWorkspaceRef: string, more: object = {}) =>
      management
        .as(project.key)
        .patch(`/v1/projects/${project.id}/connections/${id}`)
        .send({
          updateMask: ['providerWorkspaceRef', ...Object.keys(more)],
          connection: { providerWorkspaceRef, ...more },
        });
    return { id, own, laneOf, patch };
  };

  it('200 PATCH of providerWorkspaceRef: the same connection and lane, under the new name', async () => {
    const { id, laneOf, patch } = await renamed('lambda');
    const lane = await laneOf();
    const reply = await patch('lambda-new').expect(200);
    expect(reply.body).toMatchObject({ id, providerWorkspaceRef: 'lambda-new', status: 'created' });
    expect(await laneOf()).toEqual(lane);
    const lanes = await management.as(project.key).get(`/v1/projects/${project.id}/lanes`).expect(200);
    expect(lanes.text).toContain('"workspaceRef":"lambda-new"');
  });

  it('422 PATCH to another organization, and to a name that the account does not have', async () => {
    const { own, patch } = await renamed('mu');
    expect((await patch('mu-other').expect(422)).text).toContain('open the workspace mu-new');
    management.salesforce.accounts.set('token-mu', { ...own, organizationId: '00D000000000099AAA', myDomain: 'xi' });
    expect((await patch('xi').expect(422)).text).toContain('opens the account xi, and the connection belongs to mu');
  });

  it('connecting again by the page keeps the connection and its lane; another organization is refused', async () => {
    const { id, own, laneOf } = await renamed('rho');
    const lane = await laneOf();
    const app = { provider: 'salesforce', clientId: 'client-1', clientSecret: 'secret-1' };
    await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
    const comeBack = async ({ organizationId, userId } = own) => {
      management.salesforce.accounts.set('token-again', { organizationId, userId, myDomain: 'rho-new' });
      const names = {
        instance_url: 'https://rho-new.my.salesforce.com',
        id: `https://x/id/${organizationId}/${userId}`,
      };
      const body = { access_token: 'token-again', refresh_token: 'refresh', ...names };
      management.salesforce.tokenEndpoint.replies.set('authorization_code', { status: 200, body });
      const again = `/v1/projects/${project.id}/connections/${id}:oauth-update`;
      const page = new URL((await management.as(project.key).patch(again).expect(200)).text);
      const query = new URLSearchParams({ state: page.searchParams.get('state') ?? '', code: 'code-1' });
      return management.as().get(`/callbacks/v1/oauth?${query}`);
    };
    expect((await comeBack({ ...own, organizationId: '00D000000000055AAA' })).status).toBe(400);
    expect((await comeBack()).status).toBe(200);
    const read = await management.as(project.key).get(`/v1/projects/${project.id}/connections/${id}`).expect(200);
    expect(read.body).toMatchObject({ id, providerWorkspaceRef: 'rho-new', status: 'created' });
    expect(await laneOf()).toEqual(lane);
  });

  it('another organization that has taken the old name gets a lane of its own', async () => {
    const { laneOf } = await renamed('omicron');
    const other = { ...account, organizationId: '00D000000000077AAA', myDomain: 'omicron' };
    management.salesforce.accounts.set('token-77', other);
    const { id } = (await generate('token-77', { groupRef: 'other' }).expect(201)).body as Connection;
    expect(await management.database('connections').where({ id }).first('lane_id')).not.toEqual(await laneOf());
  });
});

// The token would be sent to that host.
it('400 POST connections:generate for a workspace that leads elsewhere', async () => {
  const reply = await generate('token-4', { providerWorkspaceRef: 'evil.com/' }).expect(400);
  expect(reply.body).toMatchObject({ issues: [{ name: 'providerWorkspaceRef', value: 'evil.com/' }] });
});
