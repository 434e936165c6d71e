import { redactSecrets, redactText } from './logger';

describe('redactSecrets', () => {
  it.each([
    'authorization',
    'Authorization',
    'x-api-key',
    'X-Api-Key',
    'token',
    'accessToken',
    'access_token',
    'refreshToken',
    'apiKey',
    'password',
    'clientSecret',
    'client_secret',
    'cookie',
  ])('masks %s', (name) => {
    expect(redactSecrets({ [name]: 'canary' })).toEqual({ [name]: '[secret]' });
  });

  it.each(['tokenVersion', 'pageToken', 'keyId', 'apiKeyId', 'passwordless'])('keeps %s', (name) => {
    expect(redactSecrets({ [name]: 'kept' })).toEqual({ [name]: 'kept' });
  });

  it('shows that a secret is absent', () => {
    expect(redactSecrets({ apiKey: undefined, token: null })).toEqual({ apiKey: undefined, token: null });
  });

  it('does not change its argument', () => {
    const fields = { nested: { apiKey: 'k' } };
    redactSecrets(fields);
    expect(fields.nested.apiKey).toBe('k');
  });
});

describe('redactText', () => {
  it.each([
    ['Authorization: Bearer abcdefgh.ijk', 'Authorization: Bearer [secret]'],
    ['basic dXNlcjpwYXNz', 'basic [secret]'],
    ['redis://:pw@host:6379/0', 'redis://[secret]@host:6379/0'],
    ['GET /x?refresh_token=abc&y=1', 'GET /x?refresh_token=[secret]&y=1'],
    ['a plain sentence with bearer of news', 'a plain sentence with bearer of news'],
    ['https://host/path', 'https://host/path'],
  ])('%s', (text, masked) => {
    expect(redactText(text)).toBe(masked);
  });
});
