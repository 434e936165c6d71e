import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createReplyRoom } from '@sluice/connectors';
import { createLogger } from '@sluice/telemetry';
import { signInSettings, startOpenIdProvider, tokenIssuer, type OpenIdProviderOfTest } from '@sluice/testkit';
import { openIdProvider } from '../src/people/openid';
import { createContext, managementEnv } from '../src/service';
import { prepareInstallation } from './prepare-installation';
import { startManagement, type RunningManagement } from './start-management';

const publicUrl = 'https://sluice.example';
const sessionName = '__Host-sluice_session';
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
  readonly cookies: Map<string, string>;
  /** As it was set. */
  readonly setCookies: string[] = [];

  constructor(
    cookies: Iterable<readonly [string, string]> = [],
    private readonly of = management,
  ) {
    this.cookies = new Map(cookies);
  }

  signInCookies(): string[] {
    return [...this.cookies.keys()].filter((name) => name.includes('sluice_sign_in'));
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const reply = await fetch(url.replace(publicUrl, this.of.url), { ...init, headers, redirect: 'manual' });
    for (const cookie of reply.headers.getSetCookie()) {
      this.setCookies.push(cookie);
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (cookie.includes('; Max-Age=0;')) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
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
    /^__Host-sluice_session=v1\.k1\.[\w.-]+; Path=\/; Max-Age=28800; HttpOnly; Secure; SameSite=Strict$/,
  );
  // Of any other name a neighbouring host could set it.
  expect(browser.setCookies.filter((cookie) => /sluice/.test(cookie) && !cookie.startsWith('__Host-'))).toEqual([]);
  expect(browser.signInCookies()).toEqual([]);
  expect(await browser.call('GET', '/console/session')).toEqual({
    status: 200,
    body: {
      hasSignIn: true,
      person: { name: 'vera-viewer@example.com', role: 'viewer', until: expect.stringMatching(/^20.*Z$/) },
    },
  });
});

it.each(['olga-operator', 'adam-admin'])('gives %s no address of an upload, which is of a project', async (name) => {
  const browser = await signedIn(name);
  expect(await browser.call('GET', '/v1/generate-upload-url')).toMatchObject({
    status: 403,
    body: { code: 'auth.scope-missing', remedy: expect.stringContaining('sourceYaml') },
  });
  expect(await management.database('uploads').select('id')).toEqual([]);
});

describe('roles', () => {
  it.each([
    ['vera-viewer', 200, 403, 403, 403],
    ['olga-operator', 200, 200, 404, 403],
    ['lena-lead', 200, 200, 404, 403],
    ['adam-admin', 200, 200, 404, 201],
  ])('%s reads, changes, invites and makes keys: %i, %i, %i, %i', async (name, reads, changes, invites, makesKeys) => {
    const project = await management.newProject();
    const browser = await signedIn(name);
    const path = `/v1/projects/${project.id}`;
    const change = { updateMask: ['appName'], project: { appName: 'Other' } };
    for (const list of ['integrations', 'webhook-endpoints', 'api-keys'])
      expect((await browser.call('GET', `${path}/${list}`)).status).toBe(reads);
    expect((await browser.call('PATCH', path, change)).status).toBe(changes);
    const order = { groupRef: 'acme', consumerRef: 'ann', integration: 'none' };
    expect((await browser.call('POST', `${path}/connect-sessions`, order)).status).toBe(invites);
    expect((await browser.call('POST', `${path}/api-keys`, { label: 'mine' })).status).toBe(makesKeys);
    // Projects are made with the bootstrap key.
    const made = await browser.call('POST', '/v1/projects', { name: 'another-one', appName: 'App', orgId: 'org' });
    expect(made).toMatchObject({ status: 403, body: { code: 'auth.scope-missing' } });
  });

  it('refuses who has none, and says so in the log', async () => {
    const browser = new Browser();
    const reply = await browser.signInAs('nora-nobody');
    expect(reply.headers.get('location')).toBe('../console?sign-in=no-role');
    expect([...browser.cookies.keys()].filter((name) => name.includes('sluice'))).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in.no-role', claim: 'groups' });
  });
});

// Protects the author: a name is chosen at the provider, issuer and subject are not.
it('leaves an audit line for every change by a person, also for one that was refused', async () => {
  const project = await management.newProject();
  const path = `/v1/projects/${project.id}`;
  const change = { updateMask: ['appName'], project: { appName: 'Other' } };
  await (await signedIn('olga-operator')).call('PATCH', path, change);
  await (await signedIn('vera-viewer')).call('PATCH', path, change);
  await (await signedIn('vera-viewer')).call('GET', path);
  expect(lines.filter(({ event, path: at }) => event === 'person.changed' && at === path)).toMatchObject([
    {
      subject: 'olga-operator',
      issuer: provider.issuer,
      scopes: ['read', 'frontend', 'write'],
      method: 'PATCH',
      status: 200,
    },
    { subject: 'vera-viewer', issuer: provider.issuer, scopes: ['read'], method: 'PATCH', status: 403 },
  ]);
  expect(JSON.stringify(lines)).not.toContain('@example.com');
});

it('knows a person by an id of its own for issuer and subject, the same in each session, and no other author', async () => {
  const { path, get } = await prepareInstallation(management);
  const browser = await signedIn('unverified-operator');
  const id = lines.at(-1)?.['person'];
  expect(lines.at(-1)).toMatchObject({ event: 'sign-in.done', person: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  // An address that nobody verified may be somebody else's.
  expect((await browser.call('GET', '/console/session')).body).toMatchObject({
    person: { name: 'unverified-operator' },
  });
  const changeOf = (enabled: boolean, createdBy?: string) => ({
    updateMask: ['config.content.write.objects', ...(createdBy === undefined ? [] : ['config.createdBy'])],
    installation: {
      config: {
        content: { write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled } } } } },
        createdBy,
      },
    },
  });
  const before = await get();
  for (const author of ['consumer:ann', 'builder:00000000-0000-7000-8000-000000000000', 'api:x'])
    expect(await browser.call('PATCH', path, changeOf(true, author))).toMatchObject({
      status: 400,
      body: {
        code: 'request.invalid',
        issues: [
          {
            name: 'installation.config.createdBy',
            value: author,
            detail: expect.stringContaining(`builder:${String(id)}`),
          },
        ],
      },
    });
  expect(await get()).toEqual(before);
  const again = await signedIn('unverified-operator');
  expect((await again.call('PATCH', path, changeOf(true))).body).toMatchObject({
    config: { createdBy: `builder:${String(id)}` },
  });
  await (await signedIn('olga-operator')).call('PATCH', path, changeOf(false));
  const { createdBy } = (await get()).config;
  expect(createdBy).toMatch(/^builder:[0-9a-f-]{36}$/);
  expect(createdBy).not.toBe(`builder:${String(id)}`);
  // In the history a person has a name, the one of the last sign-in.
  const { body: history } = await browser.call('GET', `${path}/configs`);
  expect(history).toHaveProperty('[1].createdByLabel', 'unverified-operator');
  expect(history).toHaveProperty('[0].createdByLabel', 'olga-operator@example.com');
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
    const other = await signedIn('vera-viewer');
    const copy = new Browser(browser.cookies);
    expect((await copy.call('GET', '/v1/projects')).status).toBe(200);
    expect((await browser.call('POST', '/console/sign-out')).status).toBe(204);
    expect(browser.cookies.has(sessionName)).toBe(false);
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
    // Who kept the cookie has nothing either; another browser's session goes on.
    expect(await copy.call('GET', '/v1/projects')).toMatchObject(nobody);
    expect((await copy.call('GET', '/console/session')).body).toEqual({ hasSignIn: true });
    expect((await other.call('GET', '/v1/projects')).status).toBe(200);
  });

  it('is refused when it is altered', async () => {
    const browser = await signedIn('vera-viewer');
    const value = browser.cookies.get(sessionName) ?? '';
    browser.cookies.set(sessionName, value.slice(0, -4) + (value.endsWith('AAAA') ? 'BBBB' : 'AAAA'));
    expect(await browser.call('GET', '/v1/projects')).toMatchObject(nobody);
  });

  it('is not what a sign-in was begun with', async () => {
    const browser = new Browser();
    await browser.send(`${publicUrl}/console/sign-in`);
    const [began = ''] = browser.signInCookies();
    browser.cookies.set(sessionName, browser.cookies.get(began) ?? '');
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
    expect(reply.headers.get('location')).toBe('../console?sign-in=expired');
    expect(victim.cookies.has(sessionName)).toBe(false);
  });

  it('is refused the second time', async () => {
    const browser = new Browser();
    const back = await browser.allowAt(await startOf(browser), 'vera-viewer');
    expect((await browser.send(back)).headers.get('location')).toBe('../console');
    expect((await browser.send(back)).headers.get('location')).toBe('../console?sign-in=expired');
  });

  it('is taken in each of two tabs, whichever comes back first, and a browser keeps a few sign-ins only', async () => {
    const browser = new Browser();
    const [first, second] = [await startOf(browser), await startOf(browser)];
    for (const start of [second, first]) {
      const reply = await browser.send(await browser.allowAt(start, 'vera-viewer'));
      expect(reply.headers.get('location')).toBe('../console');
    }
    for (let times = 0; times < 20; times += 1) await startOf(browser);
    expect(browser.signInCookies()).toHaveLength(8);
    const last = await startOf(browser);
    expect((await browser.send(await browser.allowAt(last, 'vera-viewer'))).headers.get('location')).toBe('../console');
  });

  // A browser that opens its tabs again sends none of their cookies with any of them.
  it('is taken in each of eight tabs that began at once', async () => {
    const browser = new Browser();
    const starts = await Promise.all(Array.from({ length: 8 }, () => startOf(browser)));
    expect(browser.signInCookies()).toHaveLength(8);
    for (const start of starts.slice(0, 2)) {
      const reply = await browser.send(await browser.allowAt(start, 'vera-viewer'));
      expect(reply.headers.get('location')).toBe('../console');
    }
    expect(browser.signInCookies()).toHaveLength(6);
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

interface Next {
  nonce?: string | null;
  by: ReturnType<typeof tokenIssuer>;
  tokenEndpoint?: string | undefined;
  keysEndpoint?: string | undefined;
  /** Sends what the reply of a path says in another way. */
  send: Record<string, (response: ServerResponse, text: string) => void>;
}

/** The same members, and one more. */
const deep = (text: string, levels: number) => text.replace('{', `{"x":${'['.repeat(levels)}${']'.repeat(levels)},`);
const named = (text: string, names: number) =>
  text.replace('{', `{"x":{${Array.from({ length: names }, (_, at) => `"n${at}":1`).join()}},`);

/** Enough of an OpenID provider to lie. */
async function startLiar() {
  const [known, other] = [tokenIssuer(), tokenIssuer()];
  const jwk = createPublicKey(known.publicKeyPem).export({ format: 'jwk' });
  const tokens: object[] = [];
  const next: Next = { by: known, send: {} };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const replies: Record<string, () => object> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: next.tokenEndpoint ?? `${issuer}/token`,
        jwks_uri: next.keysEndpoint ?? `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({ keys: [{ ...jwk, kid: 'k', use: 'sig', alg: 'RS256' }] }),
      '/token': () => {
        const claims = { iss: issuer, aud: 'console', sub: 'adam', nonce: next.nonce, groups: ['sluice-admin'] };
        const reply = { access_token: 'a', token_type: 'Bearer', id_token: next.by.issue('k', claims) };
        tokens.push(reply);
        return reply;
      },
    };
    const text = JSON.stringify(replies[request.url ?? '']?.() ?? {});
    const send = next.send[request.url ?? ''];
    if (send) send(response, text);
    else response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, tokens, next, known, other, stop: () => void server.close() };
}

describe('a provider', () => {
  let liar: Awaited<ReturnType<typeof startLiar>>;
  let ofLiar: RunningManagement;
  beforeAll(async () => {
    liar = await startLiar();
    ofLiar = await startManagement(() => ({ logger }), undefined, signInSettings(liar.issuer));
  });
  afterAll(async () => {
    await ofLiar.stop();
    liar.stop();
  });
  /** @returns the address of the return */
  const begin = async (browser: Browser): Promise<string> => {
    const start = new URL((await browser.send(`${publicUrl}/console/sign-in`)).headers.get('location') ?? '');
    liar.next.nonce = start.searchParams.get('nonce');
    return `${publicUrl}/console/signed-in?code=c&state=${start.searchParams.get('state')}`;
  };

  /** One sign-in where nothing is known of the provider yet. */
  const signInOnce = async () => {
    const openId = openIdProvider(ofLiar.context.config, createReplyRoom());
    const { url = '', begun } = (await openId?.begin()) ?? {};
    liar.next.nonce = new URL(url).searchParams.get('nonce');
    return begun && (await openId?.finish(`?code=c&state=${begun.state}`, begun));
  };
  type Send = Next['send'][string];
  const packed = (encoding: string, pack: (text: string) => Buffer): Send => {
    return (response, text) => response.setHeader('content-encoding', encoding).end(pack(text));
  };
  // A decoder reads members of gzip one after the other, and JSON may end in any number of spaces.
  const bomb = gzipSync(Buffer.alloc(100_000_000, ' '));
  const large: Send = (response, text) => response.end(text + ' '.repeat(4_000_000));
  const ofGzip = packed('gzip', (text) => Buffer.concat([gzipSync(text), bomb]));

  // Each is valid, and signs in where all of it is read.
  it.each<[path: string, what: string, Send, RegExp]>([
    ['/token', 'of 4 MB', large, /too-large/],
    ['/keys', 'of 4 MB', large, /too-large/],
    ['/.well-known/openid-configuration', 'of 4 MB', large, /too-large/],
    ['/token', 'of 100 MB, as 100 kB of gzip', ofGzip, /too-large: it grows to more than 131072 bytes/],
    ['/keys', 'of 100 MB, as 100 kB of gzip', ofGzip, /too-large: it grows to more than 131072 bytes/],
    ['/token', 'in an encoding for which nobody asked', packed('br', brotliCompressSync), /it is encoded as br/],
    ['/token', 'nested in 100 levels', (response, text) => response.end(deep(text, 100)), /deeper than 64 levels/],
    ['/token', 'with 2,001 names', (response, text) => response.end(named(text, 2_001)), /more than 2000 names/],
    ['/token', 'that ends never', (response, text) => void response.write(text), /timeout|aborted/],
    [
      '/token',
      'that leads elsewhere',
      (response) => response.writeHead(307, { location: '/keys' }).end(),
      /status code/,
    ],
  ])('[sec-22] is not read with a reply of %s %s', async (path, _, send, cause) => {
    liar.next.send = { [path]: send };
    const signingIn = signInOnce();
    await expect(signingIn.finally(() => (liar.next.send = {}))).rejects.toThrow(cause);
    expect(await signInOnce()).toMatchObject({ subject: 'adam' });
  });

  it('may send gzip and deflate', async () => {
    const everywhere = (send: Send) => ({ '/token': send, '/keys': send, '/.well-known/openid-configuration': send });
    for (const send of [packed('gzip', gzipSync), packed('deflate', deflateSync)]) {
      liar.next.send = everywhere(send);
      expect(await signInOnce().finally(() => (liar.next.send = {}))).toMatchObject({ subject: 'adam' });
    }
  });

  it.each(['tokenEndpoint', 'keysEndpoint'] as const)(
    '[sec-16] is not followed to an address within our network by its %s',
    async (endpoint) => {
      let asked = 0;
      const inside = createServer(() => (asked += 1)).on('connection', () => (asked += 1));
      await once(inside.listen(0, '127.0.0.1'), 'listening');
      liar.next[endpoint] = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/x`;
      await expect(signInOnce().finally(() => (liar.next[endpoint] = undefined))).rejects.toThrow(
        'SLUICE_EGRESS_ALLOW',
      );
      inside.close();
      expect(asked).toBe(0);
    },
  );

  it('is believed only an ID token that a key of its own signed', async () => {
    for (const [by, location] of [
      [liar.known, '../console'],
      [liar.other, '../console?sign-in=refused'],
    ] as const) {
      liar.next.by = by;
      const browser = new Browser([], ofLiar);
      const reply = await browser.send(await begin(browser));
      expect(reply.headers.get('location')).toBe(location);
      expect(browser.signInCookies()).toEqual([]);
    }
  });

  it('is asked once for a sign-in, however often its cookie is kept and sent again, also at once', async () => {
    liar.next.by = liar.other;
    const browser = new Browser([], ofLiar);
    const back = await begin(browser);
    const before = liar.tokens.length;
    const copies = Array.from({ length: 5 }, () => new Browser(browser.cookies, ofLiar));
    const replies = await Promise.all(copies.map((copy) => copy.send(back)));
    const locations = replies.map(({ headers }) => headers.get('location')?.split('=').at(-1));
    expect(locations.toSorted((one = '', other = '') => one.localeCompare(other))).toEqual([
      'expired',
      'expired',
      'expired',
      'expired',
      'refused',
    ]);
    expect(liar.tokens.length - before).toBe(1);
  });

  it('that is on this machine, as the service, needs no TLS: then the cookies have plain names', async () => {
    const env = { ...signInSettings(liar.issuer), SLUICE_PUBLIC_URL: 'http://localhost:4100' };
    const local = await startManagement(() => ({ logger }), undefined, env);
    const { headers } = await fetch(`${local.url}/console/sign-in`, { redirect: 'manual' });
    await local.stop();
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sluice_sign_in_[\w-]{8}=[^;]+; Path=\/;[^]*HttpOnly; SameSite=Lax$/),
    ]);
  });
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
    ['SLUICE_PUBLIC_URL', /must begin with https:/, { ...good, SLUICE_PUBLIC_URL: 'http://10.0.0.4:4100' }],
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
