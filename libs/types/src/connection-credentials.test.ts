import {
  authSchemeOf,
  checkConnectionCredentials,
  credentialMembersFor,
  credentialsOf,
} from './connection-credentials';
import type { ConnectionRequest } from './connection-request';

const code: ConnectionRequest = {
  oauth2AuthorizationCode: {
    accessToken: { token: 'a', expiresAt: '2026-01-01T00:00:00Z' },
    refreshToken: { token: 'r' },
    scopes: ['s'],
  },
};
const client: ConnectionRequest = { oauth2ClientCredentials: { clientId: 'i', clientSecret: 's', scopes: ['x'] } };
const user: ConnectionRequest = {
  oauth2PasswordCredentials: { username: 'u', password: 'p', clientId: 'i', clientSecret: 's', scopes: ['x'] },
};
const basic: ConnectionRequest = { basicAuth: { username: 'u', password: 'p' } };

describe('authSchemeOf and credentialsOf', () => {
  it.each<[string, ConnectionRequest, object]>([
    ['none', {}, {}],
    ['none', { customAuth: { a: 'b' } }, {}],
    ['apiKey', { apiKey: 'k' }, { apiKey: 'k' }],
    ['basic', basic, { basicAuth: { username: 'u', password: 'p' } }],
    ['oauth2/authorizationCode', code, { accessToken: 'a', expiresAt: '2026-01-01T00:00:00Z', refreshToken: 'r' }],
    ['oauth2/clientCredentials', client, { clientCredentials: { clientId: 'i', clientSecret: 's' } }],
    [
      'oauth2/password',
      user,
      { passwordCredentials: { username: 'u', password: 'p', clientId: 'i', clientSecret: 's' } },
    ],
  ])('%s', (scheme, request, credentials) => {
    expect(authSchemeOf(request)).toBe(scheme);
    expect(credentialsOf(request)).toEqual(credentials);
    expect(checkConnectionCredentials(request)).toEqual([]);
  });
});

describe('checkConnectionCredentials', () => {
  it('refuses a second kind', () => {
    expect(checkConnectionCredentials({ ...basic, ...code, apiKey: 'canary' }, 'connection')).toEqual([
      {
        in: 'body',
        name: 'connection.basicAuth',
        detail: 'cannot be combined with apiKey: a connection has one kind of credentials',
      },
      {
        in: 'body',
        name: 'connection.oauth2AuthorizationCode',
        detail: 'cannot be combined with apiKey: a connection has one kind of credentials',
      },
    ]);
  });

  it('needs the access token of an authorization code grant', () => {
    const issues = checkConnectionCredentials({ oauth2AuthorizationCode: { refreshToken: { token: 'r' } } });
    expect(issues).toMatchObject([{ name: 'oauth2AuthorizationCode.accessToken' }]);
  });
});

it('names the members that make a connection of these schemes', () => {
  expect(credentialMembersFor(['basic', 'apiKey'])).toEqual(['apiKey', 'basicAuth']);
});
