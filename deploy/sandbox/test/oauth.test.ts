import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOrg, type OrgClient } from './salesforce-client';
import { contacts, startClient, type Answer, type Client } from './sandbox-client';

/*
 * The endpoints of OAuth: what a refresh, a code and a revocation do, and how a request is refused. The providers' own clients refresh,
 * log in and meet an expired token in hubspot-client.test.ts and jsforce.test.ts.
 */
const app = { clientId: 'app-1', clientSecret: 'secret:1' };
let now = new Date('2026-01-01T00:00:00.000Z');
const later = (seconds: number): void => {
  now = new Date(now.getTime() + seconds * 1000);
};
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(account: Record<string, unknown> = {}, ledgerFile?: string) {
  const options = { now: () => now, ...(ledgerFile === undefined ? {} : { ledgerFile }) };
  const client: Client = await startClient(options, { app, refreshToken: 'refresh-1', ...account });
  open.push(client);
  const usual = { grant_type: 'refresh_token', refresh_token: 'refresh-1' };
  const secret = { client_id: app.clientId, client_secret: app.clientSecret };
  const exchange = async (fields: Record<string, string>): Promise<Answer> => {
    const reply = await fetch(`${client.url}/oauth/2026-03/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...usual, ...secret, ...fields }),
    });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };
  /** The status and the category of a call with this token. */
  const callWith = async (token: string) => {
    const authorization = { authorization: `Bearer ${token}` };
    const { status, body } = await client.send('GET', '/account-info/v3/details', undefined, authorization);
    return [status, body.category] as const;
  };
  return { ...client, exchange, callWith };
}

describe('HubSpot', () => {
  // Source: HubSpot changelog, "v1 OAuth API deprecation": gone on 2027-02-16.
  it.each([
    ['2027-02-15T23:59:59Z', '/oauth/v1/token', 200],
    ['2027-02-16T00:00:00Z', '/oauth/v1/token', 410],
    ['2027-02-16T00:00:00Z', '/oauth/2026-03/token', 200],
  ])('at %s %s answers %i', async (moment, path, status) => {
    now = new Date(moment);
    const client = await start();
    const grant = { grant_type: 'refresh_token', refresh_token: 'refresh-1' };
    const body = new URLSearchParams({ ...grant, client_id: app.clientId, client_secret: app.clientSecret });
    expect((await fetch(client.url + path, { method: 'POST', body })).status).toBe(status);
    now = new Date('2026-01-01T00:00:00.000Z');
  });

  // Source: RFC 6749, 2.3.1. Both parts are form-encoded before they are joined.
  it.each([
    ['the right secret', 'secret:1', 200],
    ['a wrong one', 'secret:2', 400],
  ])('takes the client by HTTP Basic: %s', async (_which, secret, status) => {
    const client = await start();
    const basic = Buffer.from(`app%2D1:${encodeURIComponent(secret)}`).toString('base64');
    const reply = await fetch(`${client.url}/oauth/2026-03/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'refresh-1' }),
    });
    expect(reply.status).toBe(status);
  });

  it('ends a token after its life, and says how long ago', async () => {
    const client = await start();
    const { access_token: token } = (await client.exchange({})).body;
    later(1799);
    expect((await client.callWith(token))[0]).toBe(200);
    later(7201);
    const { status, body } = await client.send('GET', `${contacts}/1`, undefined, { authorization: `Bearer ${token}` });
    expect([status, body.category]).toEqual([401, 'EXPIRED_AUTHENTICATION']);
    expect(body.message).toBe('The OAuth token used to make this call expired 7200 second(s) ago.');
  });

  // A revoked token was not too old.
  it('knows no token of an account once access is revoked', async () => {
    const client = await start();
    expect((await client.send('POST', `/_sandbox/accounts/acme/revoke`)).status).toBe(204);
    expect(await client.callWith(client.token)).toEqual([401, 'INVALID_AUTHENTICATION']);
    const refused = await client.exchange({});
    expect([refused.status, refused.body.status]).toEqual([400, 'BAD_REFRESH_TOKEN']);
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
    const client = await start();
    const refused = await client.exchange(fields);
    expect([refused.status, refused.body.error, refused.body.status]).toEqual([400, error, status]);
    expect((await client.callWith(client.token))[0]).toBe(200);
  });

  /** The worst moment for a rotating token: the new one was given and never arrived. */
  it('rotates refresh tokens on demand: each is good once, and lost with the reply that carried the next', async () => {
    const client = await start({ rotateRefreshTokens: true });
    const { refresh_token: second } = (await client.exchange({})).body;
    expect(second).not.toBe('refresh-1');
    expect((await client.exchange({})).body.status).toBe('BAD_REFRESH_TOKEN');
    await client.fault({ match: { path: '/oauth/2026-03/token' }, action: { kind: 'commit-then-reset' } });
    await expect(client.exchange({ refresh_token: second })).rejects.toThrow('fetch failed');
    expect((await client.exchange({ refresh_token: second })).body.status).toBe('BAD_REFRESH_TOKEN');
  });

  const redirectUri = 'https://app.example/callback?x=1';
  const authorize = (client: Client, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ client_id: 'app-1', redirect_uri: redirectUri, state: 's 1', ...more });
    return fetch(`${client.url}/oauth/authorize?${query.toString()}`, { redirect: 'manual' });
  };
  const codeOf = (reply: Response) => new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', redirect_uri: redirectUri };

  it('exchanges a code once, for the address it was given to, within a minute', async () => {
    const client = await start();
    const reply = await authorize(client);
    const { state } = Object.fromEntries(new URL(reply.headers.get('location') ?? '').searchParams);
    expect([reply.status, state]).toEqual([302, 's 1']);
    expect((await client.exchange({ ...form, code: codeOf(reply) })).body).toMatchObject({ hub_id: client.portalId });
    const refusal = async (fields: Record<string, string>) =>
      (await client.exchange({ ...form, ...fields })).body.status;
    expect(await refusal({ code: codeOf(reply) })).toBe('BAD_AUTH_CODE');
    const elsewhere = { code: codeOf(await authorize(client)), redirect_uri: 'https://evil.example/' };
    expect(await refusal(elsewhere)).toBe('BAD_REDIRECT_URI');
    const late = codeOf(await authorize(client));
    later(61);
    expect(await refusal({ code: late })).toBe('BAD_AUTH_CODE');
    expect((await authorize(client, { client_id: 'unknown' })).status).toBe(400);
  });

  // RFC 7636, 4.6: who began can finish, and nobody who saw the code go by.
  it('exchanges a code that was asked for with a challenge for its verifier only', async () => {
    const client = await start();
    const challenge = { code_challenge: createHash('sha256').update('verifier-1').digest('base64url') };
    const statusFor = async (fields: Record<string, string>) => {
      const code = codeOf(await authorize(client, { ...challenge, code_challenge_method: 'S256' }));
      return (await client.exchange({ ...form, code, ...fields })).body.status;
    };
    expect(await statusFor({ code_verifier: 'verifier-1' })).toBeUndefined();
    expect(await statusFor({ code_verifier: 'verifier-2' })).toBe('BAD_CODE_VERIFIER');
    expect(await statusFor({})).toBe('BAD_CODE_VERIFIER');
    expect((await authorize(client, { ...challenge, code_challenge_method: 'plain' })).status).toBe(400);
  });

  it('keeps tokens over a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
    const file = join(folder, 'ledger.jsonl');
    const first = await start({ rotateRefreshTokens: true }, file);
    const { access_token: token, refresh_token: refreshToken } = (await first.exchange({})).body;
    await first.close();
    const client = await start({ refreshToken }, file);
    expect((await client.callWith(token))[0]).toBe(200);
    expect((await client.exchange({})).body.status).toBe('BAD_REFRESH_TOKEN');
    expect((await client.exchange({ refresh_token: refreshToken })).status).toBe(200);
    later(1801);
    expect(await client.callWith(token)).toEqual([401, 'EXPIRED_AUTHENTICATION']);
    rmSync(folder, { recursive: true });
  });
});

describe('Salesforce', () => {
  const startSalesforce = async (...args: Parameters<typeof startOrg>): Promise<OrgClient> => {
    const client = await startOrg(...args);
    open.push(client);
    return client;
  };
  const refreshForm = ({ org }: OrgClient, change: Record<string, string> = {}) => ({
    grant_type: 'refresh_token',
    client_id: org.clientId,
    client_secret: org.clientSecret,
    refresh_token: org.refreshToken,
    ...change,
  });

  it('tells whose a session is', async () => {
    const { url, org, send } = await startSalesforce();
    const get = (path: string) => send('GET', path, undefined, { authorization: `Bearer ${org.token}` });
    expect((await get('/services/oauth2/userinfo')).body).toMatchObject({
      organization_id: org.orgId,
      sub: `${url}/id/${org.orgId}/${org.userId}`,
      urls: { custom_domain: 'https://acme.my.salesforce.com' },
    });
    expect((await get(`/id/${org.orgId}/005`)).status).toBe(404);
  });

  it('takes a rotated refresh token again within its grace: the reply may have been lost', async () => {
    const client = await startSalesforce(
      { now: () => now },
      { rotateRefreshTokens: true, refreshTokenGraceMs: 60_000 },
    );
    const first = await client.token(refreshForm(client));
    const again = await client.token(refreshForm(client));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.refresh_token).not.toBe(first.body.refresh_token);
    later(60);
    expect((await client.token(refreshForm(client))).body.error).toBe('invalid_grant');
  });

  // The grant itself: tests/acceptance/connection-schemes.test.ts.
  it('begins no session with the client credentials of an app once access was revoked', async () => {
    const client = await startSalesforce();
    await client.control('revoke');
    const form = refreshForm(client, { grant_type: 'client_credentials', refresh_token: '' });
    expect((await client.token(form)).body.error).toBe('invalid_grant');
  });
});
