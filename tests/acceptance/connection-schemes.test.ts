import { authSchemes, type AuthScheme } from '@sluice/types';
import { createAccount, type Account, type ProviderName } from '../harness/account';
import { ask, call, type Reply } from '../harness/api';
import { allow, oauthConnect, visit } from '../harness/browser';
import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { crms, person, salesforce } from './crms';

const stack = sharedStack();

/** What each provider takes. Source: rulings, "authentication schemes of the providers". */
const taken: Record<string, readonly AuthScheme[]> = {
  hubspot: ['apiKey', 'oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'],
  salesforce: [
    'oauth2/authorizationCode',
    'oauth2/authorizationCodePKCE',
    'oauth2/clientCredentials',
    'oauth2/password',
  ],
};

let made = 0;
/** An app of one account, as a client of its own has it. */
const ownApp = () => ({ app: { clientId: `client-${(made += 1)}`, clientSecret: `secret-${made}` } });

const client = ({ clientId, clientSecret }: Account) => ({ clientId, clientSecret });
/** The sandbox's user of an account, with any password. */
const user = (account: Account) => ({
  username: `integration@${account.name}.example`,
  password: 'p',
  ...client(account),
});

/** Bodies by scheme; the page of PKCE takes none. */
const credentials: Record<Exclude<AuthScheme, 'oauth2/authorizationCodePKCE'>, (account: Account) => object> = {
  none: () => ({}),
  apiKey: ({ token }) => ({ apiKey: token }),
  basic: () => ({ basicAuth: { username: 'u', password: 'p' } }),
  'oauth2/authorizationCode': ({ token }) => ({ oauth2AuthorizationCode: { accessToken: { token } } }),
  'oauth2/clientCredentials': (account) => ({ oauth2ClientCredentials: client(account) }),
  'oauth2/password': (account) => ({ oauth2PasswordCredentials: user(account) }),
};

/** What comes of connecting a new account with a scheme. */
async function connect(provider: ProviderName, scheme: AuthScheme): Promise<Pick<Reply<object>, 'status' | 'body'>> {
  const project = await createProject(stack);
  const account = await createAccount(stack, provider, ownApp());
  if (scheme === 'oauth2/authorizationCodePKCE') return await connectByPage(project, account);
  const { workspaceRef: providerWorkspaceRef } = account;
  const order = { groupRef: 'g', consumerRef: 'u', provider, providerWorkspaceRef, ...credentials[scheme](account) };
  return await ask<object>(`${project.url}/connections:generate`, { key: project.key, body: order });
}

async function connectByPage(project: Project, account: Account) {
  const { provider } = account;
  await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, ...client(account) } });
  const { url } = await oauthConnect(stack, project, { provider, groupRef: 'g' });
  const { message } = await visit(await allow(url, account));
  const shown = { method: 'GET', key: project.key };
  return { status: 201, body: await call<object>(`${project.url}/connections/${message.data.connection}`, shown) };
}

describe.each(crms)('%s', (provider) => {
  const supported = taken[provider] ?? [];

  it.each(supported)('connects with %s [connection.auth-scheme-connect]', async (authScheme) => {
    const body = { authScheme, status: 'created', providerWorkspaceRef: expect.stringMatching(/./) };
    expect(await connect(provider, authScheme)).toMatchObject({ status: 201, body });
  });

  it.each(authSchemes.filter((scheme) => !supported.includes(scheme)))(
    'does not connect with %s, and names what it takes [connection.auth-scheme-connect]',
    async (scheme) => {
      const detail = expect.stringContaining(`only ${supported.join(', ')}`);
      const body = { code: 'connection.scheme-mismatch', detail };
      expect(await connect(provider, scheme)).toMatchObject({ status: 422, body });
    },
  );
});

describe.each(['oauth2/clientCredentials', 'oauth2/password'] as const)('salesforce: %s', (scheme) => {
  it('writes, asks again when its token has ended, and writes', async () => {
    const customer = await createCustomer(stack, {
      provider: 'salesforce',
      write: [salesforce.object],
      accountOptions: ownApp(),
      credentials: (account) => ({ ...credentials[scheme](account), providerWorkspaceRef: account.workspaceRef }),
    });
    const write = (mark: string) =>
      customer.write(salesforce.object, { type: 'create', record: person(salesforce, mark) });
    expect(await write('Before')).toMatchObject({ status: 200 });
    await customer.account.expireToken();
    expect(await write('After')).toMatchObject({ status: 200 });
    expect(await customer.account.records(salesforce.object)).toHaveLength(2);
    expect(await customer.connection()).toMatchObject({ authScheme: scheme, status: 'working' });
  });
});
