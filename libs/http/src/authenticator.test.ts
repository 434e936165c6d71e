import { DependencyError } from '@sluice/errors';
import request from 'supertest';
import { testApp } from '../test/test-app';
import { authenticator, type CallerLookup } from './authenticator';
import { route } from './route';

const lookup: CallerLookup = (presented) =>
  Promise.resolve(
    presented === 'good' ? { kind: 'api-key', keyId: 'k1', projectId: 'p', scopes: ['full'] } : undefined,
  );

const get = (headers: Record<string, string>, by: CallerLookup = lookup) =>
  request(
    testApp({
      authenticate: authenticator(by),
      routes: (router) => router.get('/who', route({ handle: ({ caller }) => ({ body: { keyId: caller.keyId } }) })),
    }),
  )
    .get('/who')
    .set(headers);

describe('[sec-5] authenticator', () => {
  it.each<[string, Record<string, string>]>([
    ['the key', { 'x-api-key': 'good' }],
    ['a bearer token', { Authorization: 'Bearer good' }],
    ['the scheme in any case', { Authorization: 'bearer  good' }],
    ['both, equal', { 'X-Api-Key': 'good', Authorization: 'Bearer good' }],
    ['the key beside another scheme', { 'x-api-key': 'good', Authorization: 'Basic Z29vZA==' }],
  ])('lets pass: %s', async (_case, headers) => {
    expect((await get(headers)).body).toEqual({ keyId: 'k1' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'auth.missing'],
    ['an empty key', { 'x-api-key': '' }, 'auth.missing'],
    ['another scheme', { Authorization: 'Basic Z29vZA==' }, 'auth.missing'],
    ['a scheme alone', { Authorization: 'Bearer' }, 'auth.missing'],
    ['a wrong key', { 'x-api-key': 'bad' }, 'auth.invalid'],
    ['a wrong token', { Authorization: 'Bearer bad' }, 'auth.invalid'],
    ['a key with more behind it', { 'x-api-key': 'good, good' }, 'auth.invalid'],
    ['two different ones, the first good', { 'x-api-key': 'good', Authorization: 'Bearer bad' }, 'auth.invalid'],
    ['two different ones, the second good', { 'x-api-key': 'bad', Authorization: 'Bearer good' }, 'auth.invalid'],
  ])('401 for %s', async (_case, headers, code) => {
    const { body } = await get(headers)
      .expect(401)
      .expect('WWW-Authenticate', 'Bearer realm="sluice", ApiKey realm="sluice"');
    expect(body).toMatchObject({ code, status: 401, retryable: false });
  });

  // Our outage must not look like the caller's mistake: clients throw keys away on 401.
  it('503 when the keys cannot be looked up', async () => {
    const down = () => Promise.reject(new DependencyError({ code: 'service.unavailable', detail: 'no database' }));
    const { body } = await get({ 'x-api-key': 'good' }, down).expect(503).expect('Retry-After', '2');
    expect(body).toMatchObject({ code: 'service.unavailable', retryable: true });
  });
});
