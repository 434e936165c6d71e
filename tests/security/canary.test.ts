import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { cloneDatabase, until, zipOf, type ClonedDatabase } from '@sluice/testkit';
import { createAccount, type Account } from '../harness/account';
import { ask, call } from '../harness/api';
import { startCollector, type Collector } from '../harness/collector';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject, type Project } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';
import { dumpDatabase } from './canary/dump-database';
import { startKafkaTap, type KafkaTap } from './canary/kafka-tap';
import { startRedisTap, type RedisTap } from './canary/redis-tap';
import { startReplyTap, type ReplyTap } from './canary/reply-tap';

/**
 * Secrets with names go through everything the services do, failures included; then they are searched for wherever something
 * stays. A name that is found says which secret leaked.
 */
const mark = Date.now().toString(36);
const canaries = {
  accessToken: `canary-access-${mark}`,
  refreshToken: `canary-refresh-${mark}`,
  clientSecret: `canary-client-${mark}`,
  privateAppToken: `canary-private-${mark}`,
  password: `canary-password-${mark}`,
  adminKey: `canary-admin-${mark}`,
};
/** The key of our own project is made by the service, so it is known later. */
const secrets: Record<string, string> = { ...canaries };

let stack: OwnStack;
let database: ClonedDatabase;
let kafka: KafkaTap;
let redis: RedisTap;
let replies: ReplyTap;
let collector: Collector;
let project: Project;
beforeAll(async () => {
  const { KAFKA_BROKERS = '', REDIS_URL = '' } = readProcessEnv();
  database = await cloneDatabase();
  redis = await startRedisTap(REDIS_URL);
  collector = await startCollector();
  stack = await startStack({
    env: {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SLUICE_ADMIN_KEY: canaries.adminKey,
      SLUICE_LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'always_on',
    },
  });
  kafka = await startKafkaTap(KAFKA_BROKERS.split(','));
  replies = startReplyTap(stack.sandboxUrl);
  project = await createProject({ ...stack, adminKey: canaries.adminKey });
  secrets['apiKey'] = project.key;
  await useEverything();
});
afterAll(async () => {
  replies.restore();
  await kafka.close();
  await stack.stop();
  redis.close();
  await collector.close();
  await database.drop();
});

/** What the account's provider says when it repeats what it was sent. */
const echo = { kind: 'status', body: { message: `no: authorization: Bearer ${canaries.accessToken}`, category: 'X' } };

async function useEverything(): Promise<void> {
  const app = { clientId: 'canary-app', clientSecret: canaries.clientSecret };
  const body = { provider: 'hubspot', ...app };
  await call(`${project.url}/provider-apps`, { key: project.key, body });
  const account = await createAccount(stack, 'hubspot', {
    token: canaries.accessToken,
    refreshToken: canaries.refreshToken,
    app,
  });
  const customer = await createCustomer(stack, {
    provider: 'hubspot',
    read: ['contacts'],
    write: ['contacts'],
    project,
    account,
    credentials: tokensOf,
  });
  await succeed(customer);
  await fail(customer);
  await manage(customer);
  await refuse();
}

const tokensOf = ({ token, refreshToken }: Account) => ({
  oauth2AuthorizationCode: { accessToken: { token }, refreshToken: { token: refreshToken } },
});
const create = (email: string, more: object = {}) => ({ type: 'create', record: { email }, ...more });
const asynchronous = { mode: 'asynchronous' };

async function succeed(customer: Customer): Promise<void> {
  expect((await customer.write('contacts', create('sync@x.com'))).status).toBe(200);
  const { operationId } = (await customer.write('contacts', create('async@x.com', asynchronous))).body;
  await customer.ended(operationId);
  const batched = { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 1 } };
  await customer.ended((await customer.write('contacts', create('batched@x.com', batched))).body.operationId);
  expect((await customer.search('contacts', { email: 'sync@x.com' })).status).toBe(200);
}

/** The provider repeats the Authorization header in its refusals. */
async function fail(customer: Customer): Promise<void> {
  for (const status of [400, 403, 500]) {
    await customer.account.fault({ action: { ...echo, status } });
    expect((await customer.write('contacts', create(`f${status}@x.com`))).status).toBeGreaterThanOrEqual(400);
    await customer.account.fault({ action: { ...echo, status } });
    await customer.search('contacts', { email: 'sync@x.com' });
  }
  await customer.account.fault({ action: { ...echo, status: 400 } });
  const { operationId } = (await customer.write('contacts', create('late@x.com', asynchronous))).body;
  const { status } = await customer.ended(operationId);
  expect(status).toBe('failure');
  expect(await customer.recordsOf(operationId)).toHaveLength(1);
  await ask(`${project.url}/operations/${operationId}/logs`, { method: 'GET', key: project.key });
  await ask(`${project.url}/operations/${operationId}/explanation`, { method: 'GET', key: project.key });
  // The next write meets a token that has ended, and refreshes it.
  await customer.account.expireToken();
  expect((await customer.write('contacts', create('refreshed@x.com'))).status).toBe(200);
}

async function manage(customer: Customer): Promise<void> {
  const paths = ['connections', `connections/${customer.connectionId}`, 'provider-apps', 'installations', 'api-keys'];
  for (const path of paths) {
    expect((await ask(`${project.url}/${path}`, { method: 'GET', key: project.key })).status).toBe(200);
  }
  await notify();
  await upload();
}

/** The end of an upload's address is a secret that the service makes: good for one zip. */
async function upload(): Promise<void> {
  const { key, url } = project;
  type Signed = { url: string; bucket: string; path: string };
  const signed = await call<Signed>(`${stack.baseUrl}/generate-upload-url`, { method: 'GET', key });
  secrets['uploadToken'] = signed.url.split('.').at(-1) ?? '';
  const content = 'specVersion: 1.0.0\nintegrations:\n  - name: zipped\n    provider: hubspot\n';
  const put = async (body: Buffer) => (await fetch(signed.url, { method: 'PUT', body: new Uint8Array(body) })).status;
  expect(await put(Buffer.from(content))).toBe(400);
  expect(await put(zipOf([{ name: 'amp.yaml', content }]))).toBe(200);
  expect(await put(zipOf([{ name: 'amp.yaml', content }]))).toBe(200);
  expect(await put(zipOf([{ name: 'amp.yaml', content: `${content}\n` }]))).toBe(409);
  const body = { sourceZipUrl: `gs://${signed.bucket}/${signed.path}` };
  expect((await ask(`${url}/integrations:batch`, { method: 'PUT', key, body })).status).toBe(200);
}

/** The secret of an endpoint is made by the service; a message that goes nowhere is signed with it all the same. */
async function notify(): Promise<void> {
  const { key, url } = project;
  const body = { url: 'https://localhost:1/' };
  const endpoint = await call<{ id: string; secret: string }>(`${url}/webhook-endpoints`, { key, body });
  secrets['webhookSecret'] = endpoint.secret.slice('whsec_'.length);
  const at = `${url}/webhook-endpoints/${endpoint.id}`;
  const { id } = await call<{ id: string }>(`${at}:test`, { key });
  const attempted = async () => {
    const { body: attempts } = await ask<{ class?: string }[]>(`${at}/messages/${id}/attempts`, { method: 'GET', key });
    return attempts.find((attempt) => attempt.class !== undefined);
  };
  await until('it was tried', attempted);
  expect((await ask(`${at}/secret`, { method: 'GET', key })).status).toBe(200);
  for (const path of ['', `/${endpoint.id}`, `/${endpoint.id}/messages`]) {
    expect((await ask(`${url}/webhook-endpoints${path}`, { method: 'GET', key })).status).toBe(200);
  }
}

/** Secrets in what is refused: schemes that do not fit, keys in the wrong member, broken bodies. */
async function refuse(): Promise<void> {
  const { key } = project;
  const named = { provider: 'hubspot', groupRef: 'refused', consumerRef: 'anna' };
  const bodies = [
    { ...named, apiKey: canaries.privateAppToken },
    { ...named, basicAuth: { username: 'anna', password: canaries.password } },
    { ...named, oauth2AuthorizationCode: { accessToken: { token: canaries.accessToken, unknown: canaries.password } } },
    { ...named, apiKey: { nested: canaries.password } },
  ];
  for (const body of bodies) {
    const reply = await ask<{ code?: string }>(`${project.url}/connections:generate`, { key, body });
    expect([400, 422]).toContain(reply.status);
  }
  for (const query of [`apiKey=${key}`, `x-api-key=${key}`]) {
    expect((await ask(`${project.url}/installations?${query}`, { method: 'GET' })).status).toBe(401);
  }
  const basic = { authorization: `Basic ${Buffer.from(`u:${canaries.password}`).toString('base64')}` };
  expect((await ask(project.url, { method: 'GET', headers: basic })).status).toBe(401);
  const broken = await fetch(`${project.url}/connections:generate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: `{"apiKey": "${canaries.password}", `,
  });
  expect(broken.status).toBe(400);
}

/** Names of the secrets that stand in a text, as they are or in an encoding that anybody undoes. */
function leaksIn(text: string): string[] {
  const encodings = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    // Without the last characters, which depend on what follows.
    ...[0, 1, 2].map((shift) =>
      Buffer.from(`${' '.repeat(shift)}${secret}`)
        .toString('base64')
        .slice(4, -4),
    ),
  ];
  return Object.keys(secrets).filter((name) => encodings(secrets[name] ?? '').some((form) => text.includes(form)));
}

it('finds a secret that is there, plain or encoded', () => {
  expect(leaksIn(`x ${canaries.password} y`)).toEqual(['password']);
  expect(leaksIn(`x ${Buffer.from(`u:${canaries.password}!`).toString('base64')} y`)).toEqual(['password']);
  expect(leaksIn('nothing')).toEqual([]);
});

describe('[sec-45] a key', () => {
  const bases = () => [
    `${stack.baseUrl}/projects/${project.id}/installations`,
    `${stack.searchUrl}/projects/${project.id}/integrations/x`,
    `${stack.writeUrl}/projects/${project.id}/integrations/x/objects/contacts`,
  ];

  it('is taken from a header only: in an address, a cookie or a body it is no credential, at each base URL', async () => {
    const { key } = project;
    for (const base of bases()) {
      const method = base.startsWith(stack.baseUrl) ? 'GET' : 'POST';
      const body = method === 'POST' ? { body: { apiKey: key, 'x-api-key': key } } : {};
      for (const name of ['x-api-key', 'apiKey', 'api_key', 'access_token']) {
        expect(await ask(`${base}?${name}=${key}`, { method, ...body })).toMatchObject({ status: 401 });
      }
      const headers = { cookie: `x-api-key=${key}` };
      expect(await ask(base, { method, headers, ...body })).toMatchObject({ status: 401 });
    }
  });

  it('keeps no reply in a cache', () => {
    expect(replies.replies.length).toBeGreaterThan(30);
    expect(replies.replies.filter(({ text }) => !text.includes('["cache-control","no-store"]'))).toEqual([]);
  });
});

it('[sec-43] no reply holds a secret, but those that hand one out that was just made, or that was asked for', () => {
  const isHandingOut = ({ method, url, status }: { method: string; url: string; status: number }) =>
    (method === 'POST' && /\/(api-keys|webhook-endpoints)$/.test(url) && status === 201) ||
    /\/webhook-endpoints\/[^/]+\/secret$/.test(url) ||
    url.endsWith('/generate-upload-url');
  const handedOut = replies.replies.filter(isHandingOut);
  expect(handedOut.flatMap(({ text }) => leaksIn(text))).toEqual([
    'apiKey',
    'webhookSecret',
    'webhookSecret',
    'uploadToken',
  ]);
  expect(replies.replies.length).toBeGreaterThan(30);
  const leaking = replies.replies.filter((reply) => !isHandingOut(reply) && leaksIn(reply.text).length > 0);
  expect(leaking.map(({ method, url, text }) => [method, url, leaksIn(text)])).toEqual([]);
});

it('[sec-43] no line of a log holds a secret, at the level that says most', () => {
  const files = readdirSync(stack.logDir).filter((name) => name.endsWith('.log') && !name.startsWith('sandbox'));
  expect(files.length).toBeGreaterThanOrEqual(5);
  const lines = files.flatMap((name) => readFileSync(join(stack.logDir, name), 'utf8').split('\n'));
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => leaksIn(line).length > 0)).toEqual([]);
});

it('[sec-43] no span holds a secret, and all of them were sent', async () => {
  await until('spans of each kind have come', () => {
    const names = new Set(collector.spans().map(({ service }) => service));
    return names.has('management') && names.has('search') && names.has('executor') ? true : undefined;
  });
  expect(leaksIn(collector.everything())).toEqual([]);
});

it('[sec-43] no message in Kafka holds a secret', async () => {
  const text = await kafka.text();
  expect(text).toContain(project.id);
  expect(leaksIn(text)).toEqual([]);
});

it('[sec-43] no key and no value in Redis holds a secret', async () => {
  await until('the services to use Redis', () => (redis.text().length > 0 ? true : undefined));
  expect(leaksIn(redis.text())).toEqual([]);
});

it('[sec-42] a dump of the database holds sealed forms only, and of our API keys their digest', async () => {
  const text = await dumpDatabase(database.url);
  expect(text).toContain(project.id);
  expect(text).toMatch(/v1\.k1\.[\w-]{16}\.[\w-]{22}\.[\w-]+/);
  expect(leaksIn(text)).toEqual([]);
});
