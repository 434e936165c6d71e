import type { Connection } from '@sluice/types';
import { createAccount, type Account } from '../harness/account';
import { ask, call } from '../harness/api';
import { allow, oauthConnect, visit } from '../harness/browser';
import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, person } from './crms';

const stack = sharedStack();

describe.each(crms)('%s: a customer connects by the OAuth page', (provider, crm) => {
  /** A builder's project with its app at the provider, and a customer's account. */
  const prepare = async (metadata?: object): Promise<{ project: Project; account: Account }> => {
    const project = await createProject(stack);
    const account = await createAccount(stack, provider);
    const { clientId, clientSecret } = account;
    const scopes = ['api', 'refresh_token'];
    const app = { provider, clientId, clientSecret, scopes, ...(metadata && { metadata }) };
    await call(`${project.url}/provider-apps`, { key: project.key, body: app });
    return { project, account };
  };
  const begin = (project: Project, more: object = {}) =>
    oauthConnect(stack, project, { provider, groupRef: 'g', ...more });
  const connectionsOf = (project: Project) =>
    call<Connection[]>(`${project.url}/connections`, { method: 'GET', key: project.key });

  it('writes, survives the end of its token, and writes again [connection.provider-app] [connection.consumer-ref]', async () => {
    const { project, account } = await prepare();
    const connect = async (_: Project, mine: Account, groupRef: string) => {
      const { url } = await begin(project, { groupRef });
      const { message } = await visit(await allow(url, mine));
      expect(message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
      return { id: message.data.connection };
    };
    const customer = await createCustomer(stack, { provider, write: [crm.object], project, account, connect });
    expect(await customer.connection()).toMatchObject({
      authScheme: 'oauth2/authorizationCodePKCE',
      status: 'created',
      providerApp: { clientId: account.clientId },
      providerWorkspaceRef: account.workspaceRef,
      providerConsumerRef: expect.stringMatching(/^\w+$/),
    });
    const write = (mark: string) => customer.write(crm.object, { type: 'create', record: person(crm, mark) });
    expect(await write('Before')).toMatchObject({ status: 200 });
    await account.expireToken();
    expect(await write('After')).toMatchObject({ status: 200 });
    expect(await account.records(crm.object)).toHaveLength(2);
    expect(await customer.connection()).toMatchObject({ status: 'working' });
  });

  it('connects again after the access was taken back, and what waited is written', async () => {
    const { project, account } = await prepare();
    const connect = async (_: Project, mine: Account, groupRef: string) => {
      const { message } = await visit(await allow((await begin(project, { groupRef })).url, mine));
      return { id: message.data.connection };
    };
    const customer = await createCustomer(stack, { provider, write: [crm.object], project, account, connect });
    const { connectionId: id } = customer;
    await account.revoke();
    const refused = await ask(`${project.url}/connections/${id}?refresh=force`, { method: 'GET', key: project.key });
    expect(refused.status).toBe(409);
    expect(await customer.connection()).toMatchObject({ status: 'bad_credentials' });
    const waiting = { type: 'create', mode: 'asynchronous', record: person(crm, 'Waiting') };
    const { operationId } = (await customer.write(crm.object, waiting)).body;
    const headers = { 'x-api-key': project.key };
    const reply = await fetch(`${project.url}/connections/${id}:oauth-update`, { method: 'PATCH', headers });
    expect(reply.status).toBe(200);
    const again = await visit(await allow(await reply.text(), account));
    expect(again.message.data).toEqual({ connection: id });
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
    expect(await account.records(crm.object)).toHaveLength(1);
    expect(await connectionsOf(project)).toMatchObject([{ id, status: 'working' }]);
    const url = `${project.url}/connections/${id}?refresh=force&includeRefreshToken=true`;
    const shown = await call<Connection>(url, { method: 'GET', key: project.key });
    expect(shown.oauth2AuthorizationCode).toMatchObject({
      accessToken: { token: expect.stringMatching(/./) },
      refreshToken: { token: expect.stringMatching(/./) },
    });
  });

  it("carries the app's parameters to the page [provider-app.auth-query-params-used]", async () => {
    const { project } = await prepare({ authQueryParams: { prompt: ['login', 'consent'] } });
    const url = new URL((await begin(project)).url);
    expect(url.searchParams.getAll('prompt')).toEqual(['login', 'consent']);
    expect(url.searchParams.get('scope')).toBe('api refresh_token');
  });

  it('takes a return once, from whoever began, and never a forged one', async () => {
    const { project, account } = await prepare();
    const { url, cookie } = await begin(project, { enableCSRFProtection: true });
    const returned = await allow(url, account);
    expect(await visit(returned)).toMatchObject({ status: 400, message: { eventType: 'AUTHORIZATION_FAILED' } });
    const second = await begin(project, { enableCSRFProtection: true });
    const good = await allow(second.url, account);
    const mine = (second.cookie ?? '').split(';')[0];
    expect(cookie).not.toBe(second.cookie);
    expect(await visit(good, mine)).toMatchObject({ status: 200 });
    expect(await visit(good, mine)).toMatchObject({ status: 400 });
    const forged = new URL(await allow((await begin(project)).url, account));
    forged.searchParams.set('state', `${project.id}.${'A'.repeat(43)}`);
    expect(await visit(forged.href)).toMatchObject({ status: 400 });
    expect(await connectionsOf(project)).toHaveLength(1);
  });

  it("shows that the customer refused, and never runs the provider's words", async () => {
    const { project } = await prepare();
    const { url } = await begin(project);
    const { state = '', redirect_uri: redirect = '' } = Object.fromEntries(new URL(url).searchParams);
    const words = { state, error: 'access_denied', error_description: '<img src=x onerror=alert(1)>' };
    const page = await visit(`${redirect}?${new URLSearchParams(words)}`);
    expect(page.message.data.error).toContain('access_denied');
    expect(page.html).not.toContain('<img');
    expect(await connectionsOf(project)).toEqual([]);
  });
});
