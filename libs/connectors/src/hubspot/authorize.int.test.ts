import type { ProviderStub } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { Connector } from '../connector';
import { authorizeUrlOf } from './tokens';

let stub: ProviderStub;
let hubspot: Required<Connector>;
useStubbedConnectors((opened) => ({ stub, hubspot } = opened));

// HubSpot's page is not where its API is; an imitation has both in one place.
test.each([
  ['https://api.hubapi.com', 'https://app.hubspot.com/oauth/authorize'],
  ['https://api.hubapi.com/', 'https://app.hubspot.com/oauth/authorize'],
  ['http://127.0.0.1:4600', 'http://127.0.0.1:4600/oauth/authorize'],
])('the page of %s', (apiUrl, pageUrl) => {
  expect(authorizeUrlOf(apiUrl)).toBe(pageUrl);
});

test('the address of the page', () => {
  const request = { clientId: 'app 1', redirectUri: 'https://a/b?c=d', state: 's&t', codeChallenge: 'challenge' };
  const url = new URL(hubspot.authorizationUrl({ ...request, scopes: ['oauth', 'crm.objects.contacts.read'] }));
  expect(`${url.origin}${url.pathname}`).toBe(`${stub.url}/oauth/authorize`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'app 1',
    redirect_uri: 'https://a/b?c=d',
    scope: 'oauth crm.objects.contacts.read',
    state: 's&t',
    code_challenge: 'challenge',
    code_challenge_method: 'S256',
  });
  expect(new URL(hubspot.authorizationUrl(request)).searchParams.has('scope')).toBe(false);
});

describe('exchangeCode', () => {
  const request = {
    code: 'code-0001-secret',
    redirectUri: 'https://sluice.example/callbacks/v1/oauth',
    codeVerifier: 'verifier-0001-secret',
    clientId: 'app-1',
    clientSecret: 'client-secret-0001',
  };

  test('a refused code is no revocation, and no text carries a secret', async () => {
    const said = Object.values(request).join(' ');
    stub.replyWith({ status: 400, body: { error: 'invalid_grant', status: 'BAD_AUTH_CODE', message: said } });
    const error: unknown = await hubspot.exchangeCode(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ class: 'credentials', detail: expect.stringContaining('refuses the code') });
    for (const secret of [request.code, request.codeVerifier, request.clientSecret]) {
      expect(JSON.stringify(error) + (error as { detail: string }).detail).not.toContain(secret);
    }
  });
});
