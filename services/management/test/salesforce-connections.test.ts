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

// The token would be sent to that host.
it('400 POST connections:generate for a workspace that leads elsewhere', async () => {
  const reply = await generate('token-4', { providerWorkspaceRef: 'evil.com/' }).expect(400);
  expect(reply.body).toMatchObject({ issues: [{ name: 'providerWorkspaceRef', value: 'evil.com/' }] });
});
