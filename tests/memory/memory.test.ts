import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { signInSettings, tokenIssuer, zipOf } from '@sluice/testkit';
import { oauthConnect } from '../harness/browser';
import { createCustomer, type Customer, type WriteReply } from '../harness/customer';
import { flood, statusesOf, type Answered, type Sent } from './flood';
import { startLimitedStack, type LimitedStack } from './limited-stack';
import type { LimitedName } from './memory-limit';
import { startWideProvider } from './wide-provider';

/**
 * What is largest of what a caller may send or read ends no service that has the memory of the chart, and keeps none from answering for a second:
 * one request at a time and many at once.
 */
let stack: LimitedStack;
let sender: Customer;
/** What gives tokens: to people who sign in, and for the accounts of Salesforce. */
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let wideProvider: Awaited<ReturnType<typeof startWideProvider>>;

beforeAll(async () => {
  issuer = await startIssuer();
  wideProvider = await startWideProvider();
  // What is read of an account of HubSpot comes from there; what is written goes to the sandbox.
  const reading = { HUBSPOT_API_URL: wideProvider.url };
  const management = { ...reading, ...signInSettings(issuer.url), SALESFORCE_LOGIN_URL: issuer.url };
  // A hundred large bodies are worked on one after the other.
  const envOf = { management, search: reading };
  stack = await startLimitedStack({ env: { SLUICE_CALL_TIMEOUT_MS: '30000' }, envOf });
  const read = ['contacts', 'wide1', 'wide2', 'names', 'name'].map((objectName) => ({
    objectName,
    requiredFields: [{ fieldName: 'email' }, { fieldName: 'F94000' }],
  }));
  sender = await createCustomer(stack, { provider: 'hubspot', read, write: ['contacts'] });
});
afterAll(async () => {
  await stack.stop();
  issuer.stop();
  wideProvider.close();
});

/** It describes itself as OpenID providers do, and answers anything else with what a test gave it. */
async function startIssuer() {
  const tokens = tokenIssuer();
  const key = { ...createPublicKey(tokens.publicKeyPem).export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' };
  const reply: { encoding: string; bodyOf: (code: string) => Buffer | string; hasKeys: boolean; sent: number } = {
    encoding: 'identity',
    bodyOf: () => '{}',
    hasKeys: true,
    sent: 0,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const described = {
      issuer: url,
      authorization_endpoint: `${url}/a`,
      token_endpoint: `${url}/t`,
      jwks_uri: `${url}/k`,
    };
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/.well-known/')) response.end(JSON.stringify(described));
    else if (request.url !== '/k' || reply.hasKeys) {
      reply.sent += 1;
      const code = new URLSearchParams(await textOf(request)).get('code') ?? '';
      response.setHeader('content-encoding', reply.encoding).end(reply.bodyOf(code));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Signs a viewer in. @returns the headers of the viewer's requests */
  const signIn = async (origin: string): Promise<Record<string, string>> => {
    const cookieOf = ({ headers }: Response) =>
      headers
        .getSetCookie()
        .map((set) => set.split(';')[0])
        .join('; ');
    const begun = await fetch(`${origin}/console/sign-in`, { redirect: 'manual' });
    const { searchParams } = new URL(begun.headers.get('location') ?? '');
    const claims = {
      iss: url,
      aud: 'console',
      sub: 'vera',
      nonce: searchParams.get('nonce'),
      groups: ['sluice-viewer'],
    };
    const token = { access_token: 'a', token_type: 'Bearer', id_token: tokens.issue('k', claims) };
    const bodyOf = (code: string) => JSON.stringify(code === '' ? { keys: [key] } : token);
    Object.assign(reply, { encoding: 'identity', hasKeys: true, bodyOf });
    const back = `${origin}/console/signed-in?code=c&state=${searchParams.get('state')}`;
    const ended = await fetch(back, { headers: { cookie: cookieOf(begun) }, redirect: 'manual' });
    return { cookie: cookieOf(ended), 'sluice-console': '1' };
  };
  return { url, reply, signIn, stop: () => (server.closeAllConnections(), server.close()) };
}

const writeOf = (more: object): Sent => ({
  url: `${stack.writeUrl}/projects/${sender.project.id}/integrations/${sender.integrationId}/objects/contacts`,
  headers: { 'x-api-key': sender.project.key },
  body: Buffer.from(JSON.stringify({ groupRef: sender.groupRef, type: 'create', ...more })),
});
const within = (path: string, more: Partial<Sent> = {}): Sent => ({
  method: 'GET',
  url: `${sender.project.url}${path}`,
  headers: { 'x-api-key': sender.project.key },
  ...more,
});
const times = (count: number, sent: Sent): Sent[] => Array.from({ length: count }, () => sent);
/** What is long, and held with two bytes a character because one of them needs two. */
const longText = (bytes: number): string => `漢${'y'.repeat(Math.max(0, Math.floor(bytes) - 3))}`;

/** A write of the sender's that is only planned. */
const dryRunOf = (more: object): Sent => {
  const sent = writeOf(more);
  return { ...sent, url: `${sent.url}?dryRun=true` };
};

/** Sends, and sees that the service lives and that nobody waited for a second. */
async function expectSurvival(
  name: LimitedName,
  what: string,
  sent: readonly Sent[],
  allowed: readonly number[],
): Promise<Answered[]> {
  const answers = await stack.surviving(name, what, () => flood(sent));
  process.stdout.write(`${JSON.stringify({ what, statuses: statusesOf(answers) })}\n`);
  expect(answers.filter(({ status }) => !allowed.includes(status)).slice(0, 3)).toEqual([]);
  expect(answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === undefined)).toEqual([]);
  return answers;
}

describe('[sec-28] a POST to the write gateway', () => {
  it('of 1.6 million empty lists', async () => {
    const lists = `[${'[],'.repeat(1_600_000)}[]]`;
    const body = `{"groupRef":"${sender.groupRef}","type":"create","batch":[{"record":{"a":${lists}}}]}`;
    const sent = { ...writeOf({}), body: Buffer.from(body) };
    await expectSurvival('write-gateway', 'one of 1.6 million lists', [sent], [400]);
    await expectSurvival('write-gateway', '100 of 1.6 million lists', times(100, sent), [400, 503]);
  });

  it.each([
    ['asynchronous', [200, 503]],
    ['synchronous', [200, 422, 429, 503]],
  ] as const)('of a valid %s batch of 4.8 MB', async (mode, allowed) => {
    const firstname = longText(48_000 - 60);
    const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com`, firstname } }));
    const sent = writeOf({ mode, batch });
    await expectSurvival('write-gateway', `one ${mode} batch of 4.8 MB`, [sent], allowed);
    await expectSurvival('write-gateway', `100 ${mode} batches of 4.8 MB`, times(100, sent), allowed);
  });
});

// 100 records of 0.95 MB, which arrive one by one.
it('an operation of 95 MB is written whole, and explained in pages', async () => {
  let operationId = '';
  const ended = await stack.surviving('batcher', 'an operation of 95 MB', () =>
    stack.surviving('executor', 'an operation of 95 MB', async () => {
      const record = { firstname: longText(950_000) };
      const write = writeOf({ mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 60 }, record });
      const answers = await flood(times(100, write), 4);
      expect(statusesOf(answers)).toEqual({ 200: 100 });
      ({ operationId } = JSON.parse(answers[0]?.text ?? '') as { operationId: string });
      return await sender.ended(operationId);
    }),
  );
  expect(ended).toMatchObject({ id: operationId, status: 'success' });
  for (const part of ['explanation', 'records', 'logs']) {
    const sent = within(`/operations/${operationId}/${part}`);
    const [page] = await expectSurvival('management', `${part} of 95 MB`, [sent], [200]);
    expect(page?.bytes).toBeLessThan(1_010_000);
    await expectSurvival('management', `40 times ${part} of 95 MB`, times(40, sent), [200, 503]);
  }
});

it('100 refusals of 20 problems each, with long texts', async () => {
  const problems = Array.from({ length: 20 }, (_, at) => ({
    name: `field_${at}`,
    error: 'NO',
    message: longText(8_000),
  }));
  const message = `Property values were not valid: ${JSON.stringify(problems)}`;
  const body = { status: 'error', category: 'VALIDATION_ERROR', message };
  await sender.account.fault({ match: { method: 'POST' }, action: { kind: 'status', status: 400, body }, times: 0 });
  const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `p${at}@example.com` } }));
  const synchronous = writeOf({ mode: 'synchronous', batch });
  const refused = await expectSurvival('write-gateway', '5 times 100 refusals', times(5, synchronous), [422, 429, 503]);
  // Of each record at most 3,000 bytes of problems, beside the whole sentence.
  const sizes = refused.filter(({ status }) => status === 422).map(({ bytes }) => bytes);
  // A reply whose records were refused one by one is short where the account's quota ended first.
  expect(Math.max(...sizes)).toBeGreaterThan(200_000);
  expect(Math.max(...sizes)).toBeLessThan(1_000_000);
  const operationId = await stack.surviving('executor', '100 refusals', async () => {
    const [answer] = await flood([writeOf({ mode: 'asynchronous', batch })]);
    const reply = JSON.parse(answer?.text ?? '') as WriteReply;
    await sender.ended(reply.operationId);
    return reply.operationId;
  });
  for (const part of ['explanation', 'records', 'logs']) {
    const sent = within(`/operations/${operationId}/${part}`);
    await expectSurvival('management', `10 times ${part} of 100 refusals`, times(10, sent), [200, 503]);
  }
  await sender.account.clearFaults();
});

it('a history of 120 configs of 0.9 MB is read in pages', async () => {
  const path = `/integrations/${sender.integrationId}/installations/${sender.installationId}`;
  /** A large one leaves the config with its size, and each small one adds a version of that size. */
  const change = (objectName: string, value: string): Sent => {
    const object = { objectName, selectedValueDefaults: { firstname: { value } } };
    const content = { provider: 'hubspot', write: { objects: { [objectName]: object } } };
    const updateMask = [`config.content.write.objects.${objectName}`];
    const body = Buffer.from(JSON.stringify({ updateMask, installation: { config: { content } } }));
    return within(path, { method: 'PATCH', body });
  };
  const [made] = await flood([change('contacts', longText(900_000))]);
  expect({ status: made?.status, text: made?.text.slice(0, 300) }).toMatchObject({ status: 200 });
  const changes = Array.from({ length: 120 }, (_, at) => change('companies', String(at)));
  expect(statusesOf(await flood(changes, 2))).toEqual({ 200: 120 });
  const list = within(`${path}/configs`);
  const [page] = await expectSurvival('management', 'one page of 120 configs of 0.9 MB', [list], [200]);
  expect(page?.bytes).toBeLessThan(2_000_000);
  await expectSurvival('management', '100 pages of 120 configs of 0.9 MB', times(100, list), [200, 503]);
});

describe("[sec-22] a provider's reply that is as wide as it may be", () => {
  const metadataOf = (at: number) =>
    within(`/integrations/${sender.integrationId}/objects/wide${at}/metadata?groupRef=${sender.groupRef}`);

  it('of 95,000 fields', async () => {
    const five = [1, 2, 3, 4, 5].map(metadataOf);
    await expectSurvival('management', 'five times metadata of 95,000 fields', five, [200, 503]);
    const { management } = sender.project.client;
    const { latestRevision } = await management.getIntegration({ integrationId: sender.integrationId });
    const path = `/integrations/${sender.integrationId}/revisions/${latestRevision.id}:hydrate`;
    const form = within(`${path}?connectionId=${sender.connectionId}`);
    await expectSurvival('management', 'a form of twice 95,000 fields', [form], [200]);
  });

  it('of 99,000 names, and of too many', async () => {
    const searchOf = (objectName: string): Sent => ({
      ...within(''),
      method: 'POST',
      url: `${stack.searchUrl}/projects/${sender.project.id}/integrations/${sender.integrationId}?groupRef=${sender.groupRef}`,
      headers: { 'x-api-key': sender.project.key, 'x-sluice-request-type': 'search' },
      body: JSON.stringify({ objectName, fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a' }] }),
    });
    await expectSurvival(
      'search',
      '20 searches of 99,000 names',
      times(20, searchOf('names')),
      [200, 429, 502, 503, 504],
    );
    await expectSurvival('search', '20 searches of 390,000 names', times(20, searchOf('name')), [429, 502, 504]);
  });
});

// Each asks for the contract and reads nothing of it. Most are cut at once, because there are too many; new ones are answered all the same.
it('[sec-28] 3,000 connections without credentials read nothing', async () => {
  const { hostname, port } = new URL(sender.project.url);
  await stack.surviving('management', '3,000 unread contracts', async () => {
    const sockets = Array.from({ length: 3_000 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      return socket.pause().on('connect', () => socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'));
    });
    await sleep(5_000);
    const answers = await flood([
      within('/integrations'),
      { method: 'GET', url: `http://${hostname}:${port}/healthz` },
    ]);
    expect(statusesOf(answers)).toEqual({ 200: 2 });
    for (const socket of sockets) socket.destroy();
  });
});

describe('[sec-28] what a small request grows to', () => {
  let managementUrl: string;
  beforeAll(() => {
    managementUrl = `${stack.processes.url('management')}/v1`;
  });
  const preview = (manifest: object) =>
    within('/integrations:preview', { method: 'POST', body: Buffer.from(JSON.stringify(manifest)) });
  /** The path of a zip that was put, as a request names it; and the request that put it. */
  const upload = async (content: string) => {
    const [{ text } = { text: '' }] = await flood([{ ...within('/'), url: `${managementUrl}/generate-upload-url` }]);
    const { url, bucket, path } = JSON.parse(text) as Record<'url' | 'bucket' | 'path', string>;
    const address = `${managementUrl}/uploads/${url.split('/').at(-1)}`;
    const put: Sent = {
      method: 'PUT',
      url: address,
      headers: { 'content-type': 'application/zip' },
      body: zipOf([{ name: 'amp.yaml', content }]),
    };
    expect(statusesOf(await flood([put]))).toEqual({ 200: 1 });
    return { sourceZipUrl: `gs://${bucket}/${path}`, put };
  };
  const anchors = (text: string) =>
    `a: &a "${text}"\nb: [${times(95, writeOf({}))
      .map(() => '*a')
      .join(', ')}]`;

  it('by the defaults of a config, in plans and in what a dry run shows', async () => {
    const path = `/integrations/${sender.integrationId}/installations/${sender.installationId}`;
    const names = Array.from({ length: 900 }, (_, at) => `default${at}`);
    const install = async (setting: object): Promise<void> => {
      const selectedFieldSettings = Object.fromEntries(names.map((name) => [name, setting]));
      const objects = { contacts: { objectName: 'contacts', selectedFieldSettings } };
      const installation = { config: { content: { provider: 'hubspot', write: { objects } } } };
      const body = Buffer.from(JSON.stringify({ updateMask: ['config.content.write.objects'], installation }));
      expect(statusesOf(await flood([within(path, { method: 'PATCH', body })]))).toEqual({ 200: 1 });
    };
    const planned = (count: number) =>
      dryRunOf({
        type: 'update',
        batch: Array.from({ length: count }, (_, at) => ({ record: { id: String(at), a: 1 } })),
      });
    const value = { default: { stringValue: longText(900) } };
    await install(value);
    await expectSurvival('write-gateway', '100 dry runs of 0.9 MB', times(100, planned(1)), [200, 503]);
    await install({ ...value, writeOnUpdate: 'never' });
    await expectSurvival('write-gateway', '100 dry runs of 90 MB', times(100, planned(100)), [413, 503]);
  });

  it('by the anchors of a manifest, sent or in a zip of a kilobyte', async () => {
    const sourceYaml = anchors(longText(900_000));
    const { sourceZipUrl, put } = await upload(sourceYaml);
    expect(put.body?.length).toBeLessThan(2_000);
    for (const [what, sent] of [
      ['anchors', preview({ sourceYaml })],
      ['zipped anchors', preview({ sourceZipUrl })],
    ] as const) {
      await expectSurvival('management', what, [sent], [400]);
      await expectSurvival('management', `40 times ${what}`, times(40, sent), [400, 503]);
    }
  });
});

// Whoever begins a sign-in or an authorization brings the return of it, as often as they like.
describe('[sec-22] what a token endpoint sends at many returns at once', () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokensOf = (claims: object): string => {
    const idToken = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}.c`;
    return JSON.stringify({ access_token: 'a', refresh_token: 'r', token_type: 'Bearer', id_token: idToken });
  };
  /** 80 kB within an ID token, which cost twenty times as much once they are read. */
  const lists = { x: Array.from({ length: 28_000 }, () => []) };
  const padded = Buffer.alloc(100_000_000, ' ');
  padded.write(tokensOf({}));
  // The window of 16 MB is what a decoder of Brotli takes.
  const wide = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const replies: [what: string, encoding: string, body: () => Buffer | string][] = [
    ['100 MB as 100 kB of gzip', 'gzip', () => gzipSync(padded)],
    ['100 MB of Brotli', 'br', () => brotliCompressSync(padded, wide)],
    ['100 MB as they are', 'identity', () => padded],
    ['an ID token of 28,000 lists', 'identity', () => tokensOf(lists)],
  ];
  /** The code that comes back is the nonce: the provider has to say it. */
  const signIn = async (): Promise<Sent> => {
    const console = `${stack.processes.url('management')}/console`;
    const { headers } = await fetch(`${console}/sign-in`, { redirect: 'manual' });
    const { searchParams } = new URL(headers.get('location') ?? '');
    const cookie = headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const query = new URLSearchParams({
      code: searchParams.get('nonce') ?? '',
      state: searchParams.get('state') ?? '',
    });
    return { method: 'GET', url: `${console}/signed-in?${query}`, headers: { cookie } };
  };
  const authorization = async (): Promise<Sent> => {
    const { url } = await oauthConnect(stack, sender.project, { provider: 'salesforce', groupRef: 'g' });
    const state = new URL(url).searchParams.get('state');
    return { method: 'GET', url: `${stack.processes.url('management')}/callbacks/v1/oauth?code=c&state=${state}` };
  };
  beforeAll(async () => {
    const app = { provider: 'salesforce', clientId: 'c', clientSecret: 's', scopes: ['api'] };
    await flood([within('/provider-apps', { method: 'POST', body: Buffer.from(JSON.stringify(app)) })]);
  });

  it.each(replies)('%s', async (what, encoding, made) => {
    const body = made();
    Object.assign(issuer.reply, { encoding, bodyOf: () => body });
    for (const [of, begin] of Object.entries({ signIn, authorization })) {
      const returns = await Promise.all(Array.from({ length: 60 }, () => begin()));
      issuer.reply.sent = 0;
      await expectSurvival('management', `60 times ${what}: ${of}`, returns, [302, 400]);
      expect(issuer.reply.sent).toBeGreaterThan(0);
    }
  });

  it('an ID token of 28,000 lists, held while the keys do not come', async () => {
    const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
    const claims = { ...lists, iss: issuer.url, aud: 'console', sub: 's', iat: inAnHour - 3_600, exp: inAnHour };
    const bodyOf = (nonce: string) => tokensOf({ ...claims, nonce });
    Object.assign(issuer.reply, { encoding: 'identity', bodyOf, hasKeys: false, sent: 0 });
    const returns = await Promise.all(Array.from({ length: 300 }, () => signIn()));
    await expectSurvival('management', '300 times an ID token without keys', returns, [302]);
    expect(issuer.reply.sent).toBeGreaterThan(0);
  });
});

// The person has a share of the memory, and others go on being served. Last, because management now knows the issuer's keys.
it('[sec-28] a person reads nothing of large lists', async () => {
  const list = within(`/integrations/${sender.integrationId}/installations/${sender.installationId}/configs`);
  const { hostname, port, origin } = new URL(sender.project.url);
  const viewer = await issuer.signIn(origin);
  const [page1] = await flood([{ ...list, headers: viewer }]);
  expect(page1?.status).toBe(200);
  const lines = Object.entries({ host: hostname, ...viewer }).map(([name, value]) => `${name}: ${value}\r\n`);
  const get = `GET ${new URL(list.url).pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const unread = Array.from({ length: 30 }, () =>
    connect(Number(port), hostname)
      .on('error', () => undefined)
      .pause(),
  );
  // What the kernel takes of a reply is not in our memory any more: several on each connection.
  for (const socket of unread) socket.write(get.repeat(8));
  await sleep(2_000);
  await expectSurvival('management', '5 pages, beside a person who reads nothing', times(5, list), [200]);
  for (const socket of unread) socket.destroy();
});
