import type { ProviderStub } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';

let stub: ProviderStub;
let salesforce: Required<Connector>;
const { openDirect } = useStubbedConnectors((opened) => ({ stub, salesforce } = opened));
const secrets = { clientId: 'client', clientSecret: 'client-secret-0001' };

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

describe('grant', () => {
  const password = { ...secrets, grantType: 'password', username: 'u@acme', password: 'password-0001' } as const;
  const client = { ...secrets, grantType: 'client_credentials', workspaceRef: 'acme' } as const;

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
