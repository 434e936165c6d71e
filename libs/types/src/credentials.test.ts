import { accessOf } from './credentials';

describe('accessOf', () => {
  it('opens with the access token, else with the API key, else with user name and password as RFC 7617 joins them', () => {
    const basicAuth = { username: 'anna', password: 'pässword:1' };
    expect(accessOf({ credentials: { accessToken: 'token', apiKey: 'key' } })).toEqual({
      accessToken: 'token',
      kind: 'oauth2',
    });
    expect(accessOf({ credentials: { apiKey: 'key' } })).toEqual({ accessToken: 'key', kind: 'apiKey' });
    expect(accessOf({ credentials: { basicAuth } })).toEqual({
      accessToken: Buffer.from('anna:pässword:1', 'utf8').toString('base64'),
      kind: 'basic',
    });
    expect(accessOf({ credentials: {} })).toEqual({ accessToken: '', kind: 'none' });
    // A grant whose token is not there yet is no connection without credentials.
    const clientCredentials = { clientId: 'id', clientSecret: 'canary' };
    expect(accessOf({ credentials: { clientCredentials } })).toEqual({ accessToken: '', kind: 'oauth2' });
  });

  it('names the workspace and the metadata where they are known, and shows nothing else of the credentials', () => {
    const credentials = { accessToken: 'token', refreshToken: 'canary' };
    expect(accessOf({ credentials, workspaceRef: '42', metadata: { region: 'eu' } })).toEqual({
      accessToken: 'token',
      kind: 'oauth2',
      workspaceRef: '42',
      metadata: { region: 'eu' },
    });
  });
});
