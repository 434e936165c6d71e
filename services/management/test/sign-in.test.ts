import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { createLogger } from '@sluice/telemetry';
import { signInSettings, startOpenIdProvider, type OpenIdProviderOfTest } from '@sluice/testkit';
import { createContext, managementEnv } from '../src/service';
import { startManagement, type RunningManagement } from './start-management';

const publicUrl = 'https://sluice.example';
const lines: Record<string, unknown>[] = [];
const logger = createLogger({
  service: 'management',
  level: 'info',
  destination: new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  }),
});

let provider: OpenIdProviderOfTest;
let management: RunningManagement;
beforeAll(async () => {
  provider = await startOpenIdProvider(`${publicUrl}/console/signed-in`);
  management = await startManagement(() => ({ logger }), undefined, signInSettings(provider.issuer));
});
afterAll(async () => {
  await management.stop();
  provider.stop();
});
afterEach(() => jest.restoreAllMocks());

/** A browser, as far as redirects and cookies go. */
class Browser {
  readonly cookies = new Map<string, string>();
  /** As it was set. */
  readonly setCookies: string[] = [];

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const reply = await fetch(url.replace(publicUrl, management.url), { ...init, headers, redirect: 'manual' });
    for (const cookie of reply.headers.getSetCookie()) {
      this.setCookies.push(cookie);
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return reply;
  }

  /** Follows redirects up to what is none, or up to an address that begins so. */
  async follow(url: string, upTo = 'nowhere'): Promise<{ readonly url: string; readonly reply: Response }> {
    const reply = await this.send(url);
    const location = reply.headers.get('location');
    if (location === null || url.startsWith(upTo)) return { url, reply };
    const next = new URL(location, url).href;
    return next.startsWith(upTo) ? { url: next, reply } : await this.follow(next, upTo);
  }

  /** Types a name at the provider and agrees. @returns the address that the provider sends back to */
  async allowAt(url: string, name: string): Promise<string> {
    const back = `${publicUrl}/console/signed-in`;
    let at = await this.follow(url, back);
    for (const form of [{ prompt: 'login', login: name, password: 'any' }, { prompt: 'consent' }]) {
      if (at.url.startsWith(back)) break;
      const posted = await this.send(at.url, {
        method: 'POST',
        body: new URLSearchParams(form as Record<string, string>),
      });
      at = await this.follow(new URL(posted.headers.get('location') ?? '', at.url).href, back);
    }
    return at.url;
  }

  async signInAs(name: string): Promise<Response> {
    const { headers } = await this.send(`${publicUrl}/console/sign-in`);
    return await this.send(await this.allowAt(headers.get('location') ?? '', name));
  }

  /** A request of the console's page. */
  async call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const reply = await this.send(publicUrl + path, {
      method,
      headers: { 'sluice-console': '1', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}

async function signedIn(name: string): Promise<Browser> {
  const browser = new Browser();
  const reply = await browser.signInAs(name);
  expect([reply.status, reply.headers.get('location')]).toEqual([302, '../console']);
  return browser;
}

it('signs a person in with a cookie that no script and no other site can use', async () => {
  const browser = await signedIn('vera-viewer');
  expect(browser.setCookies.at(-1)).toMatch(
    /^sluice_session=v1\.k1\.[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
  );
  expect(await browser.call('GET', '/console/session')).toEqual({
    status: 200,
    body: {
      hasSignIn: true,
      person: { name: 'vera-viewer@example.com', role: 'viewer', until: expect.stringMatching(/^20.*Z$/) },
    },
  });
});

describe('roles', () => {
  it.each([
    ['vera-viewer', 200, 403, 403],
    ['olga-operator', 200, 200, 403],
    ['lena-lead', 200, 200, 403],
    ['adam-admin', 200, 200, 201],
  ])('%s reads, changes and makes keys: %i, %i, %i', async (name, reads, changes, makesKeys) => {
    const project = await management.newProject();
    const browser = await signedIn(name);
    const path = `/v1/projects/${project.id}`;
    const change = { updateMask: ['appName'], project: { appName: 'Other' } };
    for (const list of ['integrations', 'webhook-endpoints', 'api-keys'])
      expect((await browser.call('GET', `${path}/${list}`)).status).toBe(reads);
    expect((await browser.call('PATCH', path, change)).status).toBe(changes);
    expect((await browser.call('POST', `${path}/api-keys`, { label: 'mine' })).status).toBe(makesKeys);
    // Projects are made with the bootstrap key.
    const made = await browser.call('POST', '/v1/projects', { name: 'another-one', appName: 'App', orgId: 'org' });
    expect(made).toMatchObject({ status: 403, body: { code: 'auth.scope-missing' } });
  });

  it('refuses who has none, and says so in the log', async () => {
    const browser = new Browser();
    const reply = await browser.signInAs('nora-nobody');
    expect(reply.headers.get('location')).toBe('../console?sign-in=no-role');
    expect(browser.cookies.has('sluice_session')).toBe(false);
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in.no-role', claim: 'groups' });
  });
});

it('leaves an audit line for every change by a person, also for one that was refused', async () => {
  const project = await management.newProject();
  const path = `/v1/projects/${project.id}`;
  const change = { updateMask: ['appName'], project: { appName: 'Other' } };
  await (await signedIn('olga-operator')).call('PATCH', path, change);
  await (await signedIn('vera-viewer')).call('PATCH', path, change);
  await (await signedIn('vera-viewer')).call('GET', path);
  expect(lines.filter(({ event, path: at }) => event === 'person.changed' && at === path)).toMatchObject([
    { person: 'person:olga-operator@example.com', scopes: ['read', 'frontend'], method: 'PATCH', status: 200 },
    { person: 'person:vera-viewer@example.com', scopes: ['read'], method: 'PATCH', status: 403 },
  ]);
});

describe('a session', () => {
  const nobody = { status: 401, body: { code: 'auth.invalid', remedy: 'Sign in again.' } };

  it('counts only for a page of ours: without its header the cookie is nothing', async () => {
    const browser = await signedIn('adam-admin');
    const reply = await browser.send(`${publicUrl}/v1/projects`);
    expect([reply.status, await reply.json()]).toMatchObject([401, { code: 'auth.missing' }]);
    const preflight = await browser.send(`${publicUrl}/v1/projects`, {
      method: 'OPTIONS',
      headers: { origin: 'https://other.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/sluice-console/i);
  });

  it('ends when it is over', async () => {
    const browser = await signedIn('vera-viewer');
    expect((await browser.call('GET', '/v1/projects')).status).toBe(200);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 481 * 60_000);
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
    expect((await browser.call('GET', '/console/session')).body).toEqual({ hasSignIn: true });
  });

  it('ends with a sign-out, which no page of another site can cause', async () => {
    const browser = await signedIn('vera-viewer');
    await browser.send(`${publicUrl}/console/sign-out`, { method: 'POST' });
    expect((await browser.call('GET', '/v1/projects')).status).toBe(200);
    expect((await browser.call('POST', '/console/sign-out')).status).toBe(204);
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
  });

  it('is refused when it is altered', async () => {
    const browser = await signedIn('vera-viewer');
    const value = browser.cookies.get('sluice_session') ?? '';
    browser.cookies.set('sluice_session', value.slice(0, -4) + (value.endsWith('AAAA') ? 'BBBB' : 'AAAA'));
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
  });

  it('is not what a sign-in was begun with', async () => {
    const browser = new Browser();
    await browser.send(`${publicUrl}/console/sign-in`);
    browser.cookies.set('sluice_session', browser.cookies.get('sluice_sign_in') ?? '');
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
  });
});

describe('a return from the provider', () => {
  const startOf = async (browser: Browser) =>
    (await browser.send(`${publicUrl}/console/sign-in`)).headers.get('location') ?? '';

  it('is refused in a browser that began none', async () => {
    const begun = new Browser();
    const back = await begun.allowAt(await startOf(begun), 'vera-viewer');
    const reply = await new Browser().send(back);
    expect(reply.headers.get('location')).toBe('../console?sign-in=expired');
  });

  it('is refused in a browser that began another', async () => {
    const [victim, attacker] = [new Browser(), new Browser()];
    await startOf(victim);
    const back = await attacker.allowAt(await startOf(attacker), 'adam-admin');
    const reply = await victim.send(back);
    expect(reply.headers.get('location')).toBe('../console?sign-in=refused');
    expect(victim.cookies.has('sluice_session')).toBe(false);
  });

  it('is refused the second time', async () => {
    const browser = new Browser();
    const back = await browser.allowAt(await startOf(browser), 'vera-viewer');
    expect((await browser.send(back)).headers.get('location')).toBe('../console');
    expect((await browser.send(back)).headers.get('location')).toBe('../console?sign-in=refused');
  });

  it('is refused with an error of the provider', async () => {
    const browser = new Browser();
    const state = new URL(await startOf(browser)).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    const reply = await browser.send(`${publicUrl}/console/signed-in?${query}`);
    expect(reply.headers.get('location')).toBe('../console?sign-in=refused');
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in.refused', issuer: provider.issuer });
  });
});

it('says when the provider does not answer as one, within seconds, and asks it again the next time', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    // Nothing at first.
    if (asked > 1) response.end('<html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const away = await startManagement(() => ({ logger }), undefined, signInSettings(issuer));
  try {
    for (const tries of [1, 2]) {
      const reply = await away.as().get('/console/sign-in');
      expect([reply.status, reply.headers['location']]).toEqual([302, '../console?sign-in=unavailable']);
      expect(lines.at(-1)).toMatchObject({ event: 'sign-in.unavailable', issuer });
      expect(asked).toBe(tries);
    }
  } finally {
    await away.stop();
    server.closeAllConnections();
    server.close();
  }
});

it('is off without an issuer', async () => {
  const plain = await startManagement();
  try {
    await plain.as().get('/console/session').expect(200, { hasSignIn: false });
    const { body } = await plain.as().get('/console/sign-in').expect(404);
    expect(body).toMatchObject({ code: 'request.path-unknown', remedy: expect.stringContaining('SLUICE_OIDC_ISSUER') });
    // The header of the page changes nothing where nobody signs in.
    await plain.as().get('/v1/projects').set('sluice-console', '1').expect(401);
  } finally {
    await plain.stop();
  }
});

describe('settings', () => {
  const good = signInSettings('https://login.example');
  const required = {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    SLUICE_ADMIN_KEY: 'bootstrap-key-of-the-tests',
  };
  it.each([
    ['SLUICE_OIDC_CLIENT_ID', /is needed/, { ...good, SLUICE_OIDC_CLIENT_ID: undefined }],
    ['SLUICE_OIDC_ISSUER', /is needed/, { ...good, SLUICE_OIDC_ISSUER: undefined }],
    ['SLUICE_OIDC_ISSUER', /must begin with https:/, { ...good, SLUICE_OIDC_ISSUER: 'http://login.example' }],
    [
      'SLUICE_OIDC_VIEWERS',
      /nobody has a role/,
      { ...good, SLUICE_OIDC_VIEWERS: '', SLUICE_OIDC_OPERATORS: '', SLUICE_OIDC_ADMINS: '' },
    ],
  ])('%s is refused: %s', async (name, rule, env) => {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
    const config = managementEnv.read({ ...required, ...(given as Record<string, string>) });
    const problems = [expect.objectContaining({ name, rule: expect.stringMatching(rule) })];
    expect(() => createContext(config)).toThrow(expect.objectContaining({ problems }));
  });
});
