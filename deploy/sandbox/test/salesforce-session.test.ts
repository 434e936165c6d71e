import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, startOrg, type OrgClient } from './salesforce-client';

const open: OrgClient[] = [];
const start = async (...args: Parameters<typeof startOrg>): Promise<OrgClient> => {
  const client = await startOrg(...args);
  open.push(client);
  return client;
};
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const refreshForm = ({ org }: OrgClient, change: Record<string, string> = {}) => ({
  grant_type: 'refresh_token',
  client_id: org.clientId,
  client_secret: org.clientSecret,
  refresh_token: org.refreshToken,
  ...change,
});

/** A call with another token than the org was opened with. */
const callWith = (client: OrgClient, token: string, path = '/limits') =>
  client.send('GET', api + path, undefined, { authorization: `Bearer ${token}` });

describe('an account', () => {
  it('is the same org under the same name on every run', async () => {
    const [first, second] = [await start(), await start()];
    expect(first.org).toEqual(second.org);
    expect(first.org).toMatchObject({
      account: 'acme',
      provider: 'salesforce',
      token: expect.stringMatching(/^00Dak0\w{9}!AQ[\w.]+$/),
      refreshToken: expect.stringMatching(/^5Aep861[\w.]+$/),
      orgId: expect.stringMatching(/^00Dak0\w{12}$/),
      workspaceRef: 'acme',
    });
  });

  it('does not see the records of another', async () => {
    const client = await start();
    const other = await client.send('POST', '/_sandbox/accounts', { name: 'Globex Inc.', provider: 'salesforce' });
    expect(other.status).toBe(400);
    const globex = (await client.send('POST', '/_sandbox/accounts', { name: 'Globex_Inc', provider: 'salesforce' }))
      .body;
    expect(globex.workspaceRef).toMatch(/^globex-inc-[0-9a-f]{6}$/);
    const id = await client.create('Account', { Name: 'A' });
    expect((await callWith(client, globex.token, `/sobjects/Account/${id}`)).status).toBe(404);
  });
});

describe('the session', () => {
  it.each(['', 'Bearer nobody'])('is refused with %j', async (authorization) => {
    const client = await start();
    const { status, headers, body } = await client.send('GET', `${api}/limits`, undefined, { authorization });
    expect([status, body]).toEqual([401, [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]]);
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('ends, and a refresh begins another', async () => {
    const client = await start();
    await client.control('expire-token');
    const expired = await client.call('POST', '/sobjects/Contact', { LastName: 'L' });
    expect([expired.status, expired.body[0].errorCode]).toEqual([401, 'INVALID_SESSION_ID']);
    const { status, body } = await client.token(refreshForm(client));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(new RegExp(`^${client.org.orgId.slice(0, 15)}!`)),
      signature: expect.any(String),
      scope: 'refresh_token api',
      instance_url: client.url,
      id: expect.stringMatching(new RegExp(`^${client.url}/id/${client.org.orgId}/005\\w{15}$`)),
      token_type: 'Bearer',
      issued_at: expect.stringMatching(/^\d{13}$/),
    });
    expect((await callWith(client, body.access_token)).status).toBe(200);
    expect(await client.records('Contact')).toEqual([]);
  });

  it('takes a rotated refresh token again within its grace: the reply may have been lost', async () => {
    const client = await start({}, { rotateRefreshTokens: true, refreshTokenGraceMs: 60_000 });
    const first = await client.token(refreshForm(client));
    const again = await client.token(refreshForm(client));
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.refresh_token).not.toBe(first.body.refresh_token);
    expect((await callWith(client, again.body.access_token)).status).toBe(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ['an unknown refresh token', { refresh_token: 'x' }, 'invalid_grant'],
    ['another app', { client_id: 'x' }, 'invalid_client_id'],
    ['a wrong secret', { client_secret: 'x' }, 'invalid_client'],
    ['an unknown grant', { grant_type: 'magic' }, 'unsupported_grant_type'],
    ['no refresh token', { refresh_token: '' }, 'invalid_request'],
  ])('is not refreshed with %s', async (_name, change, error) => {
    const client = await start();
    const { status, body } = await client.token(refreshForm(client, change));
    expect([status, body.error]).toEqual([400, error]);
    expect(body.error_description).not.toBe('');
  });

  // No refresh token comes along: who has the credentials asks again.
  it('begins with the client credentials of an app, until access was revoked', async () => {
    const client = await start();
    const form = refreshForm(client, { grant_type: 'client_credentials', refresh_token: '' });
    const { status, body } = await client.token(form);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('refresh_token');
    expect((await callWith(client, body.access_token)).status).toBe(200);
    const wrong = { grant_type: 'client_credentials', client_secret: 'x' };
    expect((await client.token(refreshForm(client, wrong))).body.error).toBe('invalid_client');
    await client.control('revoke');
    expect((await client.token(form)).body.error).toBe('invalid_grant');
  });

  it('is not refreshed when access was revoked', async () => {
    const client = await start();
    await client.control('revoke');
    expect((await client.call('GET', '/limits')).status).toBe(401);
    expect((await client.token(refreshForm(client))).body.error).toBe('invalid_grant');
  });

  it('can be ended by the caller, with the refresh token or without', async () => {
    const client = await start();
    const end = (token: string) =>
      client.send('POST', '/services/oauth2/revoke', new URLSearchParams({ token }).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    expect((await end(client.org.token)).status).toBe(200);
    expect((await client.call('GET', '/limits')).status).toBe(401);
    const { access_token: next } = (await client.token(refreshForm(client))).body;
    expect((await end(client.org.refreshToken)).status).toBe(200);
    expect((await callWith(client, next)).status).toBe(401);
    expect((await client.token(refreshForm(client))).body.error).toBe('invalid_grant');
    expect((await end('nobody')).status).toBe(400);
  });

  it('without a good token userinfo answers with a word', async () => {
    const client = await start();
    await client.control('expire-token');
    const headers = { authorization: `Bearer ${client.org.token}` };
    const { status, body } = await client.send('GET', '/services/oauth2/userinfo', undefined, headers);
    expect([status, body]).toEqual([403, 'Bad_OAuth_Token']);
  });

  it('knows whose it is', async () => {
    const client = await start();
    const headers = { authorization: `Bearer ${client.org.token}` };
    const { body } = await client.send('GET', '/services/oauth2/userinfo', undefined, headers);
    expect(body).toMatchObject({
      organization_id: client.org.orgId,
      user_id: expect.stringMatching(/^005/),
      urls: { custom_domain: 'https://acme.my.salesforce.com' },
    });
    const path = body.sub.slice(client.url.length);
    expect((await client.send('GET', path, undefined, headers)).body.organization_id).toBe(client.org.orgId);
    expect((await client.send('GET', `/id/${client.org.orgId}/005`, undefined, headers)).status).toBe(404);
  });
});

describe('limits', () => {
  it('are reported on every reply, and refuse what exceeds them', async () => {
    const client = await start({}, { limits: { perDay: 3 } });
    const info = (reply: { headers: Headers }) => reply.headers.get('sforce-limit-info');
    const created = await client.call('POST', '/sobjects/Account', { Name: 'A' });
    expect(info(created)).toBe('api-usage=1/3');
    expect(info(await client.call('DELETE', `/sobjects/Account/${created.body.id}`))).toBe('api-usage=2/3');
    expect((await client.call('GET', '/limits')).body.DailyApiRequests).toEqual({ Max: 3, Remaining: 0 });
    const over = await client.call('POST', '/sobjects/Account', { Name: 'B' });
    expect([over.status, over.body, info(over)]).toEqual([
      403,
      [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
      'api-usage=3/3',
    ]);
    expect(await client.records('Account')).toEqual([]);
    await client.reset();
    expect(info(await client.call('GET', '/sobjects'))).toBe('api-usage=1/3');
  });

  it('roll with the last 24 hours', async () => {
    let now = new Date('2026-03-01T10:30:00Z');
    const client = await start({ now: () => now }, { limits: { perDay: 1 } });
    expect((await client.call('GET', '/sobjects')).status).toBe(200);
    now = new Date('2026-03-02T09:59:00Z');
    expect((await client.call('GET', '/sobjects')).status).toBe(403);
    now = new Date('2026-03-02T10:31:00Z');
    expect((await client.call('GET', '/sobjects')).status).toBe(200);
  });
});

describe('metadata', () => {
  it('lists versions and resources', async () => {
    const client = await start();
    const headers = { authorization: `Bearer ${client.org.token}` };
    const versions = (await client.send('GET', '/services/data', undefined, headers)).body;
    expect(versions).toContainEqual({ label: 'Release 60.0', url: api, version: '60.0' });
    expect((await client.send('GET', `${api}/`, undefined, headers)).body).toMatchObject({
      sobjects: `${api}/sobjects`,
    });
  });

  it('is described once: afterwards 304', async () => {
    const client = await start();
    const path = '/sobjects/contact/describe';
    const { headers, body } = await client.call('GET', path);
    expect(body).toMatchObject({ name: 'Contact', keyPrefix: '003', urls: { sobject: `${api}/sobjects/Contact` } });
    const changed = headers.get('last-modified') ?? '';
    const again = await client.call('GET', path, undefined, { 'If-Modified-Since': changed });
    expect([again.status, again.body]).toEqual([304, '']);
    const older = new Date(Date.parse(changed) - 1000).toUTCString();
    expect((await client.call('GET', path, undefined, { 'If-Modified-Since': older })).status).toBe(200);
  });
});

describe('faults', () => {
  it.each<[number, string]>([
    [400, 'UNABLE_TO_LOCK_ROW'],
    [403, 'REQUEST_LIMIT_EXCEEDED'],
    [500, 'UNKNOWN_EXCEPTION'],
    [503, 'SERVER_UNAVAILABLE'],
  ])('answer %i as Salesforce does', async (status, errorCode) => {
    const client = await start();
    await client.fault({ action: { kind: 'status', status } });
    const reply = await client.call('POST', '/sobjects/Contact', { LastName: 'L' });
    expect([reply.status, reply.body[0].errorCode]).toEqual([status, errorCode]);
    expect(await client.records('Contact')).toEqual([]);
  });

  it('answer 502 with a page, and keep what was written before it', async () => {
    const client = await start();
    await client.fault({ action: { kind: 'commit-then-status', status: 502 } });
    const reply = await client.call('POST', '/composite/sobjects', {
      records: [{ attributes: { type: 'Lead' }, LastName: 'L', Company: 'C' }],
    });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([502, 'text/html;charset=UTF-8']);
    const [lead] = await client.records('Lead');
    expect((await client.ledger())[0]).toMatchObject({ status: 502, applied: 1, recordIds: [lead?.id] });
  });
});

it('survives a restart: records, recycle bin, external ids, numbers and ids', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const ledgerFile = join(folder, 'ledger.jsonl');
  const first = await start({ ledgerFile });
  const kept = await first.create('Contact', { LastName: 'Łuna', External_Id__c: 'k', Score__c: 2, Active__c: true });
  const gone = await first.create('Contact', { LastName: 'Gone' });
  await first.call('DELETE', `/sobjects/Contact/${gone}`);
  const before = await first.call('GET', `/sobjects/Contact/${kept}`);
  await first.close();
  const second = await start({ ledgerFile });
  expect((await second.call('GET', `/sobjects/Contact/${kept}`)).body).toEqual(before.body);
  expect((await second.call('GET', `/sobjects/Contact/${gone}`)).body[0].errorCode).toBe('ENTITY_IS_DELETED');
  const twin = await second.call('POST', '/sobjects/Contact', { LastName: 'x', External_Id__c: 'K' });
  expect(twin.body[0].errorCode).toBe('DUPLICATE_VALUE');
  const next = await second.create('Contact', { LastName: 'Next' });
  expect(next > gone).toBe(true);
  expect((await second.call('GET', `/sobjects/Contact/${next}`)).body.Record_Number__c).toBe('R-000003');
  rmSync(folder, { recursive: true });
});
