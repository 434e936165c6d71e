import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contacts, startClient, type Answer, type Client } from './sandbox-client';

const app = { clientId: 'app-1', clientSecret: 'secret-1' };
let now = new Date('2026-01-01T00:00:00.000Z');
const later = (seconds: number): void => {
  now = new Date(now.getTime() + seconds * 1000);
};

async function start(account: Record<string, unknown> = {}, ledgerFile?: string) {
  const options = { now: () => now, ...(ledgerFile === undefined ? {} : { ledgerFile }) };
  const client = await startClient(options, { app, refreshToken: 'refresh-1', ...account });
  const exchange = async (fields: Record<string, string>, path = '/oauth/v1/token'): Promise<Answer> => {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: 'app-1',
      client_secret: 'secret-1',
    };
    const body = new URLSearchParams({ ...form, ...fields });
    const reply = await fetch(`${client.url}${path}`, { method: 'POST', body });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };
  const callWith = (token: string) =>
    client.send('GET', '/account-info/v3/details', undefined, { authorization: `Bearer ${token}` });
  return { ...client, exchange, callWith };
}

let client: Client & Awaited<ReturnType<typeof start>>;
afterEach(() => client.close());

it.each(['/oauth/v1/token', '/oauth/v3/token', '/oauth/2026-03/token'])('refreshes at %s', async (path) => {
  client = await start();
  const { status, body } = await client.exchange({}, path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    refresh_token: 'refresh-1',
    expires_in: 1800,
    token_type: 'bearer',
    hub_id: client.portalId,
    user_id: expect.any(Number),
    scopes: expect.arrayContaining(['oauth', 'crm.objects.contacts.write']),
    token_use: 'access_token',
  });
  expect((await client.callWith(body.access_token)).body.portalId).toBe(client.portalId);
  expect((await client.callWith(client.token)).status).toBe(200);
  expect((await client.ledger())[0]).toMatchObject({
    account: 'acme',
    provider: 'hubspot',
    action: 'token',
    status: 200,
  });
});

// Source: RFC 6749, 2.3.1. Both parts are form-encoded before they are joined.
it.each([
  ['the right secret', 'secret:1', 200],
  ['a wrong one', 'secret:2', 400],
])('takes the client by HTTP Basic: %s', async (_which, secret, status) => {
  client = await start({ app: { clientId: 'app-1', clientSecret: 'secret:1' } });
  const basic = Buffer.from(`app%2D1:${encodeURIComponent(secret)}`).toString('base64');
  const reply = await fetch(`${client.url}/oauth/v1/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'refresh-1' }),
  });
  expect(reply.status).toBe(status);
});

it('ends a token after its life, in the words of HubSpot', async () => {
  client = await start({ tokenLifetimeSeconds: 60 });
  const { access_token: token } = (await client.exchange({})).body;
  later(59);
  expect((await client.callWith(token)).status).toBe(200);
  later(7201);
  const { status, body } = await client.callWith(token);
  expect(status).toBe(401);
  expect(body).toMatchObject({
    status: 'error',
    message: 'The OAuth token used to make this call expired 2 hour(s) ago.',
    category: 'EXPIRED_AUTHENTICATION',
    context: { 'expire time': [expect.any(String)] },
  });
  expect((await client.callWith((await client.exchange({})).body.access_token)).status).toBe(200);
});

it('ends a token on demand; the refresh token stays good', async () => {
  client = await start();
  expect((await client.send('POST', '/_sandbox/accounts/acme/expire-token')).status).toBe(204);
  expect((await client.call('GET', `${contacts}/1`)).body.category).toBe('EXPIRED_AUTHENTICATION');
  const { access_token: token } = (await client.exchange({})).body;
  expect((await client.callWith(token)).status).toBe(200);
  expect((await client.send('POST', '/_sandbox/accounts/nobody/expire-token')).status).toBe(404);
});

it.each([
  ['revoked', '', 'invalid_grant', 'BAD_REFRESH_TOKEN'],
  ['uninstalled', '?as=gone', 'access_denied', 'BAD_HUB'],
])('kills everything when %s', async (_name, query, error, status) => {
  client = await start();
  expect((await client.send('POST', `/_sandbox/accounts/acme/revoke${query}`)).status).toBe(204);
  expect((await client.callWith(client.token)).status).toBe(401);
  const refused = await client.exchange({});
  expect([refused.status, refused.body.error, refused.body.status]).toEqual([400, error, status]);
});

it.each<[Record<string, string>, string, string]>([
  [{ client_id: 'other' }, 'invalid_client', 'BAD_CLIENT_ID'],
  [{ client_secret: 'wrong' }, 'invalid_client', 'BAD_CLIENT_SECRET'],
  [{ refresh_token: 'unknown' }, 'invalid_grant', 'BAD_REFRESH_TOKEN'],
  [{ refresh_token: '' }, 'invalid_request', 'BAD_REQUEST'],
  [{ grant_type: 'password' }, 'unsupported_grant_type', 'BAD_GRANT_TYPE'],
  [{ grant_type: 'client_credentials' }, 'unsupported_grant_type', 'BAD_GRANT_TYPE'],
  [{ grant_type: 'authorization_code', code: 'unknown' }, 'invalid_grant', 'BAD_AUTH_CODE'],
])('refuses %j as %s', async (fields, error, status) => {
  client = await start();
  const refused = await client.exchange(fields);
  expect([refused.status, refused.body.error, refused.body.status]).toEqual([400, error, status]);
  expect((await client.callWith(client.token)).status).toBe(200);
});

it('rotates refresh tokens on demand: each is good once', async () => {
  client = await start({ rotateRefreshTokens: true });
  const first = await client.exchange({});
  expect(first.body.refresh_token).not.toBe('refresh-1');
  expect((await client.exchange({})).body.status).toBe('BAD_REFRESH_TOKEN');
  expect((await client.exchange({ refresh_token: first.body.refresh_token })).status).toBe(200);
});

/** The worst moment for a rotating token: the new one was given and never arrived. */
it('loses the grant when the reply to a rotation is lost', async () => {
  client = await start({ rotateRefreshTokens: true });
  await client.fault({ match: { path: '/oauth/v1/token' }, action: { kind: 'commit-then-reset' } });
  await expect(client.exchange({})).rejects.toThrow('fetch failed');
  expect((await client.exchange({})).body.status).toBe('BAD_REFRESH_TOKEN');
  expect((await client.ledger()).map(({ action, status }) => [action, status])).toEqual([
    ['token', 0],
    ['token', 400],
  ]);
});

it('exchanges a code once, for the address it was given to', async () => {
  client = await start();
  const redirectUri = 'https://app.example/callback?x=1';
  const authorize = async (clientId = 'app-1') => {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, scope: 'oauth', state: 's 1' });
    return fetch(`${client.url}/oauth/authorize?${query.toString()}`, { redirect: 'manual' });
  };
  const codeOf = (reply: Response) => new URL(reply.headers.get('location') ?? '').searchParams;
  const reply = await authorize();
  const { code = '', state } = Object.fromEntries(codeOf(reply));
  expect([reply.status, state]).toEqual([302, 's 1']);
  const form = { grant_type: 'authorization_code', redirect_uri: redirectUri };
  expect((await client.exchange({ ...form, code })).body).toMatchObject({ hub_id: client.portalId, expires_in: 1800 });
  expect((await client.exchange({ ...form, code })).body.status).toBe('BAD_AUTH_CODE');
  const other = codeOf(await authorize()).get('code') ?? '';
  expect((await client.exchange({ ...form, code: other, redirect_uri: 'https://evil.example/' })).body.status).toBe(
    'BAD_REDIRECT_URI',
  );
  expect((await authorize('unknown')).status).toBe(400);
  const late = codeOf(await authorize()).get('code') ?? '';
  later(61);
  expect((await client.exchange({ ...form, code: late })).body.status).toBe('BAD_AUTH_CODE');
});

// RFC 7636, 4.6: who began can finish, and nobody who saw the code go by.
it('exchanges a code that was asked for with a challenge for its verifier only', async () => {
  client = await start();
  const redirectUri = 'https://app.example/callback';
  const challenge = createHash('sha256').update('verifier-1').digest('base64url');
  const authorize = async (more: Record<string, string>) => {
    const query = new URLSearchParams({
      client_id: 'app-1',
      redirect_uri: redirectUri,
      code_challenge: challenge,
      ...more,
    });
    return fetch(`${client.url}/oauth/authorize?${query}`, { redirect: 'manual' });
  };
  const form = { grant_type: 'authorization_code', redirect_uri: redirectUri };
  const statusFor = async (fields: Record<string, string>) => {
    const reply = await authorize({ code_challenge_method: 'S256' });
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
    return (await client.exchange({ ...form, code, ...fields })).body.status;
  };
  expect(await statusFor({ code_verifier: 'verifier-1' })).toBeUndefined();
  expect(await statusFor({ code_verifier: 'verifier-2' })).toBe('BAD_CODE_VERIFIER');
  expect(await statusFor({})).toBe('BAD_CODE_VERIFIER');
  expect((await authorize({ code_challenge_method: 'plain' })).status).toBe(400);
});

it('meets faults at the token endpoint', async () => {
  client = await start();
  await client.fault({ account: 'acme', match: { path: '/oauth/' }, action: { kind: 'status', status: 503 } });
  expect(
    (
      await fetch(`${client.url}/oauth/v1/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'refresh-1' }),
      })
    ).status,
  ).toBe(503);
  expect((await client.exchange({})).status).toBe(200);
});

// A revoked token was not too old, and a token that ended before the revocation is no exception.
it('knows no token of an account whose access was revoked', async () => {
  client = await start();
  expect((await client.send('POST', '/_sandbox/accounts/acme/revoke')).status).toBe(204);
  const { status, body } = await client.call('GET', `${contacts}/1`);
  expect([status, body.category]).toEqual([401, 'INVALID_AUTHENTICATION']);
});

it('keeps tokens over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  const file = join(folder, 'ledger.jsonl');
  const first = await start({ rotateRefreshTokens: true, tokenLifetimeSeconds: 600 }, file);
  const { access_token: token, refresh_token: refreshToken } = (await first.exchange({})).body;
  await first.close();
  client = await start({ refreshToken }, file);
  expect((await client.callWith(token)).status).toBe(200);
  expect((await client.exchange({})).body.status).toBe('BAD_REFRESH_TOKEN');
  expect((await client.exchange({ refresh_token: refreshToken })).status).toBe(200);
  later(601);
  expect((await client.callWith(token)).body.category).toBe('EXPIRED_AUTHENTICATION');
  rmSync(folder, { recursive: true });
});
