import type { Connection } from '@sluice/types';
import { createAccount, type Account, type AccountOptions, type ProviderName } from '../harness/account';
import { call } from '../harness/api';
import { allow, oauthConnect, visit, type Visit } from '../harness/browser';
import { createCustomer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';

const provider = 'zoho' as ProviderName;

let stack: OwnStack;
beforeAll(async () => {
  stack = await startStack({ declared: 'sandbox', only: ['sandbox', 'management', 'write-gateway'] });
});
afterAll(() => stack.stop());

interface Prepared {
  readonly project: Project;
  readonly account: Account;
}

/** @param more settings of the account in the sandbox */
async function prepare(more: AccountOptions = {}): Promise<Prepared> {
  const [project, account] = [await createProject(stack), await createAccount(stack, provider, more)];
  const { clientId, clientSecret } = account;
  await call(`${project.url}/provider-apps`, { key: project.key, body: { provider, clientId, clientSecret } });
  return { project, account };
}

/** The next token reply names this address. */
const reportDomain = ({ account }: Prepared, apiDomain: unknown) =>
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
const fromToken = (value: string) => ({ value, source: 'token' });

/** Changes the account's settings in the sandbox: it moves, or its token endpoint answers wrongly. */
const change = ({ account: { name } }: Prepared, more: object) =>
  call(`${stack.sandboxUrl}/_sandbox/accounts`, { body: { name, provider, ...more } });

/** Calls that carried a token to the imitated API. */
const apiCalls = async ({ account }: Prepared) =>
  (await account.calls())
    .filter(({ action }) => action !== 'authorize' && action !== 'token')
    .map(({ action }) => action);

// The sandbox stands in place of every host, so the hosts themselves are asked for in the connector's own test.
describe('the data centre of a Zoho account', () => {
  it('is the one of the reply, whatever the customer chose', async () => {
    const prepared = await prepare();
    await reportDomain(prepared, 'https://www.zohoapis.eu');
    expect((await connect(prepared, chosen('in'))).message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
    expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: fromToken('eu') } }]);
  });

  it('leaves what else is known of a connection that connects again', async () => {
    const prepared = await prepare();
    const { project, account } = prepared;
    const plan = { value: 'gold', source: 'input' };
    await reportDomain(prepared, 'https://www.zohoapis.eu');
    const first = await connect(prepared, { providerMetadata: { ...chosen('in').providerMetadata, plan } });
    const path = `${project.url}/connections/${first.message.data.connection}:oauth-update`;
    const page = await fetch(path, { method: 'PATCH', headers: { 'x-api-key': project.key } });
    await reportDomain(prepared, 'https://www.zohoapis.in');
    const again = await visit(await allow(await page.text(), account));
    expect(again.message).toEqual(first.message);
    expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: fromToken('in'), plan } }]);
  });

  it('that is none of those that the file lists ends the authorization, and no token is sent [sec-15]', async () => {
    const prepared = await prepare();
    await reportDomain(prepared, 'https://www.zohoapis.eu@evil.example');
    const { status, message } = await connect(prepared);
    expect([status, message.eventType]).toEqual([400, 'AUTHORIZATION_FAILED']);
    expect(message.data.error).toMatch(/^Zoho CRM names '.*' as the account's address; region must be /);
    expect(await connectionsOf(prepared)).toEqual([]);
    expect(await apiCalls(prepared)).toEqual([]);
  });

  it('that is none of them cannot be chosen either', async () => {
    const prepared = await prepare();
    const beginning = oauthConnect(stack, prepared.project, { provider, groupRef: 'g', ...chosen('evil.example') });
    await expect(beginning).rejects.toThrow(/region must be one of com, eu/);
  });
});

// Nobody names a region: the page sends the customer home, and the code is good there only.
describe('the data centre that a return names', () => {
  it.each([{}, chosen('in')])('is the one of the customer, with %j chosen', async (more) => {
    const prepared = await prepare({ dataCentre: 'au' });
    expect((await connect(prepared, more)).message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
    expect(await connectionsOf(prepared)).toMatchObject([{ providerMetadata: { region: fromToken('com.au') } }]);
  });

  it('is kept where the token reply has none', async () => {
    const prepared = await prepare({ dataCentre: 'eu' });
    await reportDomain(prepared, undefined);
    expect((await connect(prepared)).message.eventType).toBe('AUTHORIZATION_SUCCEEDED');
    expect(await connectionsOf(prepared)).toMatchObject([
      { providerMetadata: { region: { value: 'eu', source: 'provider' } } },
    ]);
  });

  it('that the file does not list ends the authorization before a code is sent', async () => {
    const prepared = await prepare({ dataCentre: 'uk' });
    const { status, message } = await connect(prepared);
    expect([status, message.eventType]).toEqual([400, 'AUTHORIZATION_FAILED']);
    expect(message.data.error).toBe(
      "The parameter location of the return from zoho must be one of us, eu, in, au, jp, cn, sa, ca, not 'uk'; begin again, with an account at one of its places.",
    );
    expect((await prepared.account.calls()).map(({ action }) => action)).toEqual(['authorize']);
    expect(await connectionsOf(prepared)).toEqual([]);
  });

  it('with a forged parameter ends it too [sec-15]', async () => {
    const prepared = await prepare({ dataCentre: 'eu' });
    const { project, account } = prepared;
    const { url } = await oauthConnect(stack, project, { provider, groupRef: 'g' });
    const back = new URL(await allow(url, account));
    back.searchParams.set('accounts-server', 'https://accounts.zoho.eu@evil.example');
    const { status, message } = await visit(back.href);
    expect([status, message.eventType]).toEqual([400, 'AUTHORIZATION_FAILED']);
    expect(message.data.error).toMatch(
      /^The parameter [a-z-]+ of the return from zoho must be .* not '.*'; begin again/,
    );
    expect((await account.calls()).map(({ action }) => action)).toEqual(['authorize']);
    expect(await connectionsOf(prepared)).toEqual([]);
  });
});

// Refresh tokens are good once here: a pair that were thrown away would cost the customer's connection at the second refresh.
describe('a refresh whose reply names another data centre', () => {
  async function connected() {
    const prepared = await prepare({ dataCentre: 'eu', rotateRefreshTokens: true });
    const { project, account } = prepared;
    const customer = await createCustomer(stack, {
      provider,
      project,
      account,
      write: ['Leads'],
      connect: async (_, __, groupRef) => ({ id: (await connect(prepared, { groupRef })).message.data.connection }),
    });
    const write = (name: string) => customer.write('Leads', { type: 'create', record: { Last_Name: name } });
    /** Writes with a token that must be refreshed first. */
    const writeRefreshed = async (name: string) => {
      await account.expireToken();
      return (await write(name)).status;
    };
    const names = async () => (await account.records('Leads')).map(({ fields }) => fields['Last_Name']);
    expect((await write('Before')).status).toBe(200);
    return { prepared, customer, writeRefreshed, names };
  }

  it('that is one of the file: the pair is kept and the connection moves there', async () => {
    const { prepared, customer, writeRefreshed, names } = await connected();
    expect(await customer.connection()).toMatchObject({ providerMetadata: { region: fromToken('eu') } });
    await change(prepared, { dataCentre: 'in' });
    expect(await writeRefreshed('Moved')).toBe(200);
    expect(await customer.connection()).toMatchObject({ providerMetadata: { region: fromToken('in') } });
    expect(await writeRefreshed('Again')).toBe(200);
    expect(await customer.connection()).toMatchObject({
      status: 'working',
      providerMetadata: { region: fromToken('in') },
    });
    expect(await names()).toEqual(['Before', 'Moved', 'Again']);
  });

  it('that is none of them: the pair is kept, the connection stays where it was [sec-15]', async () => {
    const { prepared, customer, writeRefreshed, names } = await connected();
    await change(prepared, { tokenMembers: { api_domain: 'https://www.zohoapis.eu@evil.example' } });
    expect(await writeRefreshed('Forged')).toBe(200);
    expect(await writeRefreshed('Again')).toBe(200);
    expect(await customer.connection()).toMatchObject({
      status: 'working',
      providerMetadata: { region: fromToken('eu') },
    });
    expect(await names()).toEqual(['Before', 'Forged', 'Again']);
  });
});
