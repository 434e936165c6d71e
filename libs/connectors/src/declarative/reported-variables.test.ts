import { captureDeclared } from '../../test/captured-calls';
import { loadDeclarations } from './load-declarations';

const zoho = loadDeclarations().find(({ name }) => name === 'zoho');
if (zoho === undefined) throw new Error('there is no file of zoho');

const app = { clientId: 'id', clientSecret: 'app-secret' };
const code = { ...app, code: 'code-1', redirectUri: 'https://a.example/cb', codeVerifier: 'v' };
const refreshing = { ...app, refreshToken: 'refresh-1' };
const granting = { ...app, grantType: 'client_credentials' as const };

/** A provider whose token endpoint names this address. */
const replyNaming = (apiDomain: unknown) =>
  captureDeclared(zoho, ({ form }) =>
    form === undefined
      ? { data: [{ status: 'success', details: { id: '1' } }], org: [{ id: '7' }] }
      : {
          access_token: 'token-1',
          refresh_token: 'refresh-2',
          expires_in: 3600,
          ...(apiDomain !== undefined && { api_domain: apiDomain }),
        },
  );

const regions = ['com', 'eu', 'in', 'com.au', 'jp', 'com.cn', 'sa', 'ca'];
const accountsOf = (region: string) => `https://accounts.${region === 'ca' ? 'zohocloud.ca' : `zoho.${region}`}`;

describe.each(regions)('the data centre %s', (region) => {
  const metadata = { region };

  it('has its own page and token endpoint, and takes every call', async () => {
    const { connector, taken } = replyNaming(`https://www.zohoapis.${region}`);
    const page = connector.authorizationUrl({ ...code, state: 's', codeChallenge: 'c', metadata });
    expect(page).toMatch(`${accountsOf(region)}/oauth/v2/auth?`);
    await connector.exchangeCode({ ...code, metadata });
    await connector.refresh({ ...refreshing, metadata });
    await connector.grant({ ...granting, metadata });
    const auth = { accessToken: 'token-1', metadata };
    await connector.workspace({ auth });
    await connector.create({ auth, objectName: 'Leads', fields: { Last_Name: 'Zoë' } });
    await connector.update({ auth, objectName: 'Leads', recordId: '1', fields: { Last_Name: 'Zoë' } });
    await connector
      .search({ auth, objectName: 'Leads', filters: [{ field: 'Email', value: 'a' }], fields: [], limit: 1 })
      .catch(() => []);
    const [accounts, api] = [accountsOf(region), `https://www.zohoapis.${region}`];
    expect(taken().map(({ origin }) => new URL(origin ?? '').origin)).toEqual([
      accounts,
      accounts,
      accounts,
      api,
      api,
      api,
      api,
    ]);
  });

  it('is learned from the reply to a code, whatever was chosen before', async () => {
    const { connector } = replyNaming(`https://www.zohoapis.${region}`);
    for (const chosen of [undefined, { region: 'com' }, { region: 'eu' }]) {
      const tokens = await connector.exchangeCode({ ...code, ...(chosen && { metadata: chosen }) });
      expect(tokens).toMatchObject({ accessToken: 'token-1', metadata: { region } });
    }
  });
});

it('is not reported by a reply without it', async () => {
  const { connector } = replyNaming(undefined);
  expect(await connector.exchangeCode(code)).not.toHaveProperty('metadata');
  expect(await connector.refresh(refreshing)).toMatchObject({ accessToken: 'token-1' });
});

// A token is sent to the address: what is none of the listed ones is no address. In whatever dress: returned-address.test.ts, by the same reader.
describe.each(['https://evil.example', 'https://www.zohoapis.uk', 'https://www.zohoapis.eu/', 42])(
  'an api_domain like %j',
  (apiDomain) => {
    it('ends in no token, but for a refresh, and nothing is sent there', async () => {
      const { connector, taken } = replyNaming(apiDomain);
      const refused = expect.stringMatching(/^Zoho CRM names '.*' as the account's address; region must be /s);
      await expect(connector.exchangeCode(code)).rejects.toMatchObject({ class: 'rejected', detail: refused });
      await expect(connector.grant(granting)).rejects.toMatchObject({ class: 'rejected' });
      // The old refresh token may be dead: the pair is given, and no place with it.
      const fresh = await connector.refresh(refreshing);
      expect(fresh).toMatchObject({ accessToken: 'token-1', refreshToken: 'refresh-2', refusedAddress: refused });
      expect(fresh).not.toHaveProperty('metadata');
      expect(taken().map(({ origin }) => new URL(origin ?? '').origin)).toEqual(
        Array(3).fill('https://accounts.zoho.com'),
      );
    });
  },
);

// A single-use refresh token is dead by then: whoever throws the pair away loses the customer.
it.each([{ region: 'eu' }, undefined])(
  'a refresh of a connection at %j gives the pair and the other place',
  async (metadata) => {
    const { connector } = replyNaming('https://www.zohoapis.in');
    const fresh = await connector.refresh({ ...refreshing, ...(metadata && { metadata }) });
    expect(fresh).toMatchObject({ accessToken: 'token-1', refreshToken: 'refresh-2', metadata: { region: 'in' } });
    expect(fresh).not.toHaveProperty('refusedAddress');
  },
);

it.each([
  ['https://www.zohoapis.eu', { region: 'eu' }],
  ['https://www.zohoapis.com', undefined],
])('a refresh that names %s changes nothing for a connection at %j', async (apiDomain, metadata) => {
  const { connector } = replyNaming(apiDomain);
  expect(await connector.refresh({ ...refreshing, ...(metadata && { metadata }) })).not.toHaveProperty('metadata');
});

it('credentials of a connection at eu get no token of another data centre', async () => {
  const { connector } = replyNaming('https://www.zohoapis.in');
  const detail = 'the account is at another address: providerMetadata.region must be in';
  const asked = connector.grant({ ...granting, metadata: { region: 'eu' } });
  await expect(asked).rejects.toMatchObject({ class: 'rejected', detail });
});
