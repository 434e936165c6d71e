import type { ProviderStub } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { openDirect } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));
const secrets = { clientId: 'client', clientSecret: 'client-secret-0001' };
const formOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));
const tokens = {
  access_token: '00D!new',
  instance_url: 'https://Acme--uat.sandbox.my.salesforce.com',
  id: 'https://test.salesforce.com/id/00Dak000000000OEAA/005ak000000000UAAA',
  scope: 'api',
};

describe('the address of the page', () => {
  const request = { clientId: 'client', redirectUri: 'https://a/b', state: 's', codeChallenge: 'challenge' };

  test('is at the login', async () => {
    const direct = openDirect();
    const url = new URL(direct.get('salesforce').authorizationUrl?.(request) ?? '');
    expect(`${url.origin}${url.pathname}`).toBe(`${stub.url}/services/oauth2/authorize`);
    expect(url.searchParams.get('response_type')).toBe('code');
  });

  // The production login does not know a customer's sandbox. Source: reference B1.
  test('is at the account itself when that is a sandbox', async () => {
    const direct = openDirect();
    const page = direct.get('salesforce').authorizationUrl?.({ ...request, workspaceRef: 'acme--uat.sandbox' });
    expect(page).toMatch(/^https:\/\/acme--uat\.sandbox\.my\.salesforce\.com\/services\/oauth2\/authorize\?/);
  });
});

test('exchangeCode: a form, and the tokens with account and user', async () => {
  stub.replyWith({ status: 200, body: { ...tokens, refresh_token: '5Aep' } });
  const request = { ...secrets, code: 'code-0001', redirectUri: 'https://a/b', codeVerifier: 'verifier-0001' };
  expect(await salesforce.exchangeCode(request)).toEqual({
    accessToken: '00D!new',
    refreshToken: '5Aep',
    scopes: ['api'],
    workspaceRef: 'acme--uat.sandbox',
    consumerRef: '005ak000000000UAAA',
  });
  expect(formOf(stub.requests[0]?.body)).toMatchObject({ grant_type: 'authorization_code', code: 'code-0001' });
});

describe('grant', () => {
  const password = { ...secrets, grantType: 'password', username: 'u@acme', password: 'password-0001' } as const;
  const client = { ...secrets, grantType: 'client_credentials', workspaceRef: 'acme' } as const;

  test('a form for a client, and one for a user', async () => {
    stub.replyWith({ status: 200, body: tokens }, { status: 200, body: tokens });
    for (const request of [client, password]) {
      expect(await salesforce.grant(request)).toMatchObject({ accessToken: '00D!new' });
    }
    const shared = { client_id: 'client', client_secret: 'client-secret-0001' };
    expect(stub.requests.map(({ body }) => formOf(body))).toEqual([
      { ...shared, grant_type: 'client_credentials' },
      { ...shared, grant_type: 'password', username: 'u@acme', password: 'password-0001' },
    ]);
  });

  test('client credentials need the account, because its own host is asked', async () => {
    stub.replyWith();
    const direct = openDirect();
    const { workspaceRef: _none, ...nowhere } = client;
    await expect(direct.get('salesforce').grant?.(nowhere)).rejects.toMatchObject({
      class: 'rejected',
      detail: expect.stringContaining('providerWorkspaceRef'),
    });
    expect(stub.requests).toEqual([]);
  });

  // Here the client is the connection's own: elsewhere it is the builder's app, which says nothing of a connection.
  test.each([
    ['invalid_client', 400, 'credentials'],
    ['invalid_client_id', 400, 'credentials'],
    ['invalid_grant', 400, 'credentials'],
    ['unsupported_grant_type', 400, 'rejected'],
    ['invalid_client', 503, 'unavailable'],
  ])('%s with %i is %s, and no text carries a secret', async (error, status, expected) => {
    const body = { error, error_description: 'said password-0001 client-secret-0001' };
    stub.replyWith({ status, body });
    await expect(salesforce.grant(password)).rejects.toMatchObject({
      class: expected,
      detail: expect.stringMatching(/said \[secret\] \[secret\]/),
    });
  });
});
