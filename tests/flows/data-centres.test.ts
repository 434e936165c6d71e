import type { Connection } from '@sluice/types';
import { createAccount, type Account, type ProviderName } from '../harness/account';
import { call } from '../harness/api';
import { allow, oauthConnect, visit, type Visit } from '../harness/browser';
import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { startStack, type Stack } from '../harness/stack';

const provider = 'zoho' as ProviderName;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox', only: ['sandbox', 'management', 'write-gateway'] });
});
afterAll(() => stack.stop());

interface Prepared {
  readonly project: Project;
  readonly account: Account;
}

async function prepare(): Promise<Prepared> {
  const [project, account] = [await createProject(stack), await createAccount(stack, provider)];
  const { clientId, clientSecret } = account;
  await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, clientId, clientSecret } });
  return { project, account };
}

/** The next token reply names this address. */
const tell = ({ account }: Prepared, apiDomain: unknown) =>
  account.fault({
    match: { path: '/rest/zoho/oauth/v2/token' },
    action: {
      kind: 'status',
      status: 200,
      body: {
        access_token: account.token,
        refresh_token: account.refreshToken,
        expires_in: 3600,
        api_domain: apiDomain,
      },
    },
  });

async function connect({ project, account }: Prepared, more: object = {}): Promise<Visit> {
  const { url } = await oauthConnect(stack, project, { provider, groupRef: 'g', ...more });
  return await visit(await allow(url, account));
}

const connectionsOf = ({ project }: Prepared) =>
  call<Connection[]>(`${project.url}/connections`, { method: 'GET', key: project.key });
const chosen = (value: string) => ({ providerMetadata: { region: { value, source: 'input' } } });
const told = (value: string) => ({ value, source: 'token' });

/** Calls that carried a token to the imitated API. */
const apiCalls = async ({ account }: Prepared) =>
  (await account.calls())
    .filter(({ action }) => action !== 'authorize' && action !== 'token')
    .map(({ action }) => action);

// The sandbox stands in place of every host, so the hosts themselves are asked for in the connector's own test.
describe('the data centre of a Zoho account', () => {
  it('is learned from the token reply, and the connection shows it', async () => {
    const prepared = await prepare();
    expect((await connect(prepared)).message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
    expect(await connectionsOf(prepared)).toMatchObject([
      { status: 'created', providerMetadata: { region: told('com') } },
    ]);
  });

  it('is the one of the reply, whatever the customer chose', async () => {
    const prepared = await prepare();
    await tell(prepared, 'https://www.zohoapis.eu');
    expect((await connect(prepared, chosen('in'))).message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
    expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: told('eu') } }]);
  });

  it('stays with a connection that is made again', async () => {
    const prepared = await prepare();
    for (const region of ['in', 'eu']) {
      await tell(prepared, `https://www.zohoapis.${region}`);
      await connect(prepared);
      expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: told(region) } }]);
    }
  });

  it('leaves what else is known of a connection that connects again', async () => {
    const prepared = await prepare();
    const { project, account } = prepared;
    const plan = { value: 'gold', source: 'input' };
    await tell(prepared, 'https://www.zohoapis.eu');
    const first = await connect(prepared, { providerMetadata: { ...chosen('in').providerMetadata, plan } });
    const path = `${project.url}/connections/${first.message.data.connection}:oauth-update`;
    const page = await fetch(path, { method: 'PATCH', headers: { 'x-api-key': project.key } });
    await tell(prepared, 'https://www.zohoapis.in');
    const again = await visit(await allow(await page.text(), account));
    expect(again.message).toEqual(first.message);
    expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: told('in'), plan } }]);
  });

  it.each([
    'https://evil.example',
    'https://www.zohoapis.ca',
    'http://169.254.169.254',
    'https://www.zohoapis.eu@evil.example',
  ])(
    'that is none of those that the file lists, %s, ends the authorization, and no token is sent [sec-15]',
    async (apiDomain) => {
      const prepared = await prepare();
      await tell(prepared, apiDomain);
      const { status, message } = await connect(prepared);
      expect([status, message.eventType]).toEqual([400, 'AUTHORIZATION_FAILED']);
      expect(message.data.error).toMatch(
        /^Zoho CRM names '.*' as the account's address; region must be (one of com, eu|like https:)/,
      );
      expect(await connectionsOf(prepared)).toEqual([]);
      expect(await apiCalls(prepared)).toEqual([]);
    },
  );

  it('that is none of them cannot be chosen either', async () => {
    const prepared = await prepare();
    const beginning = oauthConnect(stack, prepared.project, { provider, groupRef: 'g', ...chosen('evil.example') });
    await expect(beginning).rejects.toThrow(/region must be one of com, eu/);
  });

  it('does not move under a connection: a refresh that names another place gives no token', async () => {
    const prepared = await prepare();
    const { account } = prepared;
    const customer = await createCustomer(stack, {
      provider,
      project: prepared.project,
      account,
      write: ['Leads'],
      connect: async (_, __, groupRef) => ({ id: (await connect(prepared, { groupRef })).message.data.connection }),
    });
    const write = (name: string) => customer.write('Leads', { type: 'create', record: { Last_Name: name } });
    expect(await write('Before')).toMatchObject({ status: 200 });
    await account.expireToken();
    await tell(prepared, 'https://www.zohoapis.in');
    const refused = await write('Elsewhere');
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('providerMetadata.region must be in'),
    ]);
    expect(await customer.connection()).not.toMatchObject({ status: 'bad_credentials' });
    expect((await account.records('Leads')).map(({ fields }) => fields['Last_Name'])).toEqual(['Before']);
  });
});
