import { randomBytes } from 'node:crypto';
import { zipOf, type ZipEntry } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { endpointsOf, type Endpoint } from '../security/hostile/endpoints';
import { createTarget } from '../security/hostile/targets';
import { flood, statusesOf, type Answered, type Sent } from './flood';
import { createdWith, longText, recordsOf, startLargeProvider, type LargeProvider } from './large-provider';
import { startLimitedStack, type LimitedStack } from './limited-stack';
import type { LimitedName } from './memory-limit';

/**
 * Nothing that a caller or a provider sends ends a service that has the memory of the chart, or keeps it from answering others for a second:
 * one request at a time and many at once, hostile and merely large.
 */
let stack: LimitedStack;
let provider: LargeProvider;
let sender: Customer;
let other: Customer;

beforeAll(async () => {
  stack = await startLimitedStack({
    providerUrl: async (sandboxUrl) => {
      provider = await startLargeProvider(sandboxUrl);
      return provider.url;
    },
    // A hundred large bodies are worked on one after the other.
    env: { SLUICE_CALL_TIMEOUT_MS: '30000' },
  });
  const objects = { provider: 'hubspot', read: ['contacts'], write: ['contacts'] } as const;
  sender = await createCustomer(stack, objects);
  other = await createCustomer(stack, objects);
});
afterAll(async () => {
  await stack.stop();
  provider.close();
});

const writeOf = ({ project, integrationId, groupRef }: Customer, more: object): Sent => ({
  url: `${stack.writeUrl}/projects/${project.id}/integrations/${integrationId}/objects/contacts`,
  headers: { 'x-api-key': project.key },
  body: Buffer.from(JSON.stringify({ groupRef, type: 'create', ...more })),
});
const searchOf = ({ project, integrationId, groupRef }: Customer): Sent => ({
  url: `${stack.searchUrl}/projects/${project.id}/integrations/${integrationId}?groupRef=${groupRef}`,
  headers: { 'x-api-key': project.key },
  body: JSON.stringify({
    objectName: 'contacts',
    fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@b.c' }],
  }),
});
const batchOf = (bytes: number) => {
  const firstname = longText(bytes / 100 - 60);
  return Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com`, firstname } }));
};
const createPath = '/crm/v3/objects/contacts/batch/create';
const times = (count: number, sent: Sent): Sent[] => Array.from({ length: count }, () => sent);
const times6 = <T>(make: () => T): T[] => Array.from({ length: 6 }, make);
const ofService: Partial<Record<LimitedName, () => Sent>> = {
  'write-gateway': () => writeOf(other, { mode: 'asynchronous', record: { email: 'o@example.com' } }),
  search: () => searchOf(other),
};

/** Requests of another project, one after the other, while something else is going on. */
async function besides<T>(
  request: Sent | undefined,
  work: () => Promise<T>,
): Promise<{ result: T; others: Answered[] }> {
  const over = new AbortController();
  const others: Answered[] = [];
  const loop = async (asked: Sent): Promise<void> => {
    while (!over.signal.aborted) others.push(...(await flood([asked])));
  };
  const looping = request && loop(request);
  const result = await work().finally(() => over.abort());
  await looping;
  return { result, others };
}

/** Sends, and sees that the service lives, that nobody waited for a second, and that another project was served. */
async function expectSurvival(
  name: LimitedName,
  what: string,
  sent: readonly Sent[] | { readonly oneByOne: readonly Sent[] },
  allowed: readonly number[],
): Promise<Answered[]> {
  const request = ofService[name]?.();
  const { others: quiet } = await besides(request, () => new Promise((resolve) => setTimeout(resolve, 300)));
  const { result, others } = await stack.surviving(name, what, () =>
    besides(request, () => ('oneByOne' in sent ? flood(sent.oneByOne, 1) : flood(sent))),
  );
  const [otherMs, quietMs] = [medianMs(others), medianMs(quiet)];
  const slowdown = Math.round((10 * otherMs) / Math.max(quietMs, 1)) / 10;
  const line = { what, statuses: statusesOf(result), others: statusesOf(others), otherMs, quietMs, slowdown };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  expect(result.filter(({ status }) => !allowed.includes(status)).slice(0, 3)).toEqual([]);
  expect(others.filter(({ status }) => status !== 200).slice(0, 3)).toEqual([]);
  expect(result.filter(({ status, retryAfter }) => status === 503 && retryAfter === undefined)).toEqual([]);
  return result;
}

function medianMs(answers: readonly Answered[]): number {
  const sorted = answers.map(({ ms }) => ms).toSorted((one, another) => one - another);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

describe('[sec-28] write gateway', () => {
  const raw = (value: string): Sent => ({
    ...writeOf(sender, {}),
    body: Buffer.from(`{"groupRef":"${sender.groupRef}","type":"create","batch":[{"record":{"a":${value}}}]}`),
  });
  const nested = (value: string, levels: number): string =>
    levels === 0 ? value : nested(`[${Array(100).fill(value).join(',')}]`, levels - 1);

  it.each([
    ['1.6 million empty lists', () => `[${'[],'.repeat(1_600_000)}[]]`],
    ['2.4 million numbers', () => `[${'1,'.repeat(2_400_000)}1]`],
    ['a million lists in lists of 100', () => nested('[]', 3)],
  ])('%s', async (what, value) => {
    const sent = raw(value());
    await expectSurvival('write-gateway', `one of ${what}`, [sent], [400]);
    await expectSurvival('write-gateway', `100 of ${what}`, times(100, sent), [400, 503]);
  });

  it('valid batches of 4.8 MB', async () => {
    const asynchronous = writeOf(sender, { mode: 'asynchronous', batch: batchOf(4_800_000) });
    await expectSurvival('write-gateway', 'one asynchronous batch of 4.8 MB', [asynchronous], [200]);
    await expectSurvival('write-gateway', '100 asynchronous batches of 4.8 MB', times(100, asynchronous), [200, 503]);
    const synchronous = writeOf(sender, { batch: batchOf(4_800_000) });
    await expectSurvival(
      'write-gateway',
      '100 synchronous batches of 4.8 MB',
      times(100, synchronous),
      [200, 422, 429, 503],
    );
  });

  it('a thousand writes and searches of a connection with 16 kB about it', async () => {
    const { project, connectionId } = sender;
    const change = async (providerMetadata: object): Promise<number> => {
      const body = { updateMask: ['providerMetadata'], connection: { providerMetadata } };
      const path = `${project.url}/connections/${connectionId}`;
      const headers = { 'x-api-key': project.key };
      const [changed] = await flood([{ method: 'PATCH', url: path, headers, body: JSON.stringify(body) }]);
      return changed?.status ?? 0;
    };
    expect(await change({ note: { value: 'x'.repeat(900_000), source: 'input' } })).toBe(400);
    expect(await change({ note: { value: longText(16_000), source: 'input' } })).toBe(200);
    const small = writeOf(sender, { record: { firstname: 'x' } });
    const allowed = [200, 422, 429, 503, 504];
    await expectSurvival('write-gateway', '1000 writes with 16 kB of account', times(1_000, small), allowed);
    await expectSurvival('search', '1000 searches with 16 kB of account', times(1_000, searchOf(sender)), allowed);
  });

  it('a thousand writes of 60 kB', async () => {
    const small = writeOf(sender, { mode: 'asynchronous', record: { firstname: 'x'.repeat(60_000) } });
    await expectSurvival('write-gateway', '1000 writes of 60 kB', times(1_000, small), [200, 503]);
  });

  it('provider replies of 10 MB', async () => {
    provider.answer(sender.account.token, createPath, createdWith(9_900_000));
    const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com` } }));
    const sent = writeOf(sender, { batch });
    await expectSurvival('write-gateway', 'one reply of 10 MB', [sent], [200, 422, 502]);
    await expectSurvival('write-gateway', '40 replies of 10 MB', times(40, sent), [200, 422, 429, 502, 503, 504]);
    provider.answer(sender.account.token, createPath, undefined);
  });
});

describe('[sec-22] search', () => {
  const path = '/crm/v3/objects/contacts/search';
  afterEach(() => provider.answer(sender.account.token, path, undefined));

  it('provider replies of 10 MB', async () => {
    // Each account takes five searches a second.
    const searchers = await Promise.all(
      times6(() => createCustomer(stack, { provider: 'hubspot', read: ['contacts'] })),
    );
    const page = JSON.stringify({ total: 100, results: recordsOf(9_900_000) });
    for (const { account } of searchers) provider.answer(account.token, path, () => page);
    const [large] = searchers.map(searchOf);
    const answers = await expectSurvival('search', 'one reply of 10 MB', large ? [large] : [], [200]);
    expect(answers[0]?.bytes).toBeGreaterThan(9_000_000);
    const all = searchers.flatMap((searcher) => times(7, searchOf(searcher)));
    await expectSurvival('search', '42 replies of 10 MB', all, [200, 429, 502, 503, 504]);
  });

  it('three million empty lists in a reply', async () => {
    const page = `{"total":1,"results":[${'[],'.repeat(3_300_000)}[]]}`;
    provider.answer(sender.account.token, path, () => page);
    await expectSurvival(
      'search',
      '40 replies of 3.3 million lists',
      times(40, searchOf(sender)),
      [429, 502, 503, 504],
    );
  });
});

/** 100 records of 0.95 MB, one by one: one operation of 95 MB. */
async function autoBatch(customer: Customer): Promise<string> {
  const record = { firstname: longText(950_000) };
  const autoBatchPolicy = { maxDelayMinutes: 60 };
  const write = writeOf(customer, { mode: 'asynchronous', autoBatchPolicy, record });
  const answers = await flood(times(100, write), 4);
  expect(statusesOf(answers)).toEqual({ 200: 100 });
  return (JSON.parse(answers[0]?.text ?? '') as { readonly operationId: string }).operationId;
}

describe('batcher and executor', () => {
  const paths = [createPath, '/crm/v3/objects/contacts'];
  const answer = (toReply?: (body: string) => string, status?: number): void =>
    paths.forEach((path) => provider.answer(sender.account.token, path, toReply, status));
  afterEach(() => answer());

  it('an operation of 95 MB is written whole', async () => {
    let operationId = '';
    const ended = await stack.surviving('batcher', 'an operation of 95 MB', () =>
      stack.surviving('executor', 'an operation of 95 MB', async () => {
        operationId = await autoBatch(sender);
        return await sender.ended(operationId);
      }),
    );
    expect(ended).toMatchObject({ id: operationId, status: 'success' });
  });

  it('an operation of 95 MB that failed is replayed', async () => {
    const refusal = JSON.stringify({ status: 'error', category: 'VALIDATION_ERROR', message: 'no' });
    answer(() => refusal, 400);
    const operationId = await autoBatch(sender);
    expect(await sender.ended(operationId)).toMatchObject({ status: 'failure' });
    answer();
    const replayed = await stack.surviving('management', 'a replay of 95 MB', () =>
      stack.surviving('executor', 'a replay of 95 MB', async () => {
        const { id: next } = await sender.project.client.management.replayOperation({ operationId });
        return await sender.ended(next);
      }),
    );
    expect(replayed).toMatchObject({ status: 'success' });
  });

  it('an operation of 95 MB whose replies are lost is looked up, and ends', async () => {
    answer(() => '{}', 504);
    const ended = await stack.surviving('executor', 'reconciles 95 MB', async () =>
      sender.ended(await autoBatch(sender)),
    );
    expect(ended).toMatchObject({ status: 'failure', result: expect.stringContaining('Outcome unknown') });
  });

  it('40 provider replies of 10 MB', async () => {
    provider.answer(sender.account.token, createPath, createdWith(9_900_000));
    const batch = Array.from({ length: 100 }, (_, at) => ({ record: { email: `r${at}@example.com` } }));
    const write = writeOf(sender, { mode: 'asynchronous', batch });
    const ended = await stack.surviving('executor', '40 replies of 10 MB', async () => {
      const answers = await flood(times(40, write), 8);
      const ids = answers.map(({ text }) => (JSON.parse(text) as { readonly operationId: string }).operationId);
      return await Promise.all(ids.map((id) => sender.ended(id)));
    });
    expect(ended.map(({ status }) => status)).toEqual(Array(40).fill('success'));
  });
});

describe('management', () => {
  const within = (path: string, more: Partial<Sent> = {}): Sent => ({
    method: 'GET',
    url: `${sender.project.url}${path}`,
    headers: { 'x-api-key': sender.project.key },
    ...more,
  });
  const origin = (): string => new URL(sender.project.url).origin;
  const manifestOf = (name: string): ZipEntry => ({
    name: 'amp.yaml',
    content: `specVersion: 1.0.0\nintegrations:\n  - name: ${name}\n    provider: hubspot\n`,
  });
  const noiseOf = (bytes: number): ZipEntry => ({ name: 'noise', content: randomBytes(bytes), isDeflated: false });
  const emptyOf = (name: string): ZipEntry => ({ name, content: '' });
  const installationPath = () => `/integrations/${sender.integrationId}/installations/${sender.installationId}`;
  /** A change of one object's default. A large one leaves the config with its size, and each small one adds a version of that size. */
  const change = (objectName: string, value: string): Sent => {
    const object = { objectName, selectedValueDefaults: { firstname: { value } } };
    const content = { provider: 'hubspot', write: { objects: { [objectName]: object } } };
    const updateMask = [`config.content.write.objects.${objectName}`];
    const body = Buffer.from(JSON.stringify({ updateMask, installation: { config: { content } } }));
    return within(installationPath(), { method: 'PATCH', body });
  };

  it('a history of 120 configs of 0.9 MB', async () => {
    const [made] = await flood([change('contacts', longText(900_000))]);
    expect({ status: made?.status, text: made?.text.slice(0, 300) }).toMatchObject({ status: 200 });
    const changes = Array.from({ length: 120 }, (_, at) => change('companies', String(at)));
    expect(statusesOf(await flood(changes, 2))).toEqual({ 200: 120 });
    const list = within(`${installationPath()}/configs`);
    const [page] = await expectSurvival('management', 'one page of 120 configs of 0.9 MB', [list], [200]);
    expect(page?.bytes).toBeLessThan(2_000_000);
    await expectSurvival('management', '100 pages of 120 configs of 0.9 MB', times(100, list), [200, 503]);
    const installations = within(`/integrations/${sender.integrationId}/installations`);
    await expectSurvival('management', '100 lists of installations', times(100, installations), [200, 503]);
    expect(statusesOf(await flood([change('contacts', 'short')]))).toEqual({ 200: 1 });
  });

  it('a list of 30 installations of 0.9 MB, which is given whole', async () => {
    const { project } = sender;
    for (let at = 0; at < 30; at += 1) {
      const { integrationId, installationId } = await createCustomer(stack, {
        provider: 'hubspot',
        project,
        write: ['contacts'],
      });
      const url = `${project.url}/integrations/${integrationId}/installations/${installationId}`;
      const [made] = await flood([{ ...change('contacts', longText(900_000)), url }]);
      expect(made?.status).toBe(200);
    }
    const list = within('/installations');
    const [whole] = await expectSurvival('management', 'a list of 27 MB', [list], [200]);
    expect(whole?.bytes).toBeGreaterThan(27_000_000);
    await expectSurvival('management', '20 lists of 27 MB', times(20, list), [200, 503]);
  });

  it('reads and changes of one config of 0.9 MB', async () => {
    const large = change('contacts', longText(900_000));
    const [made] = await flood([large]);
    expect(made?.status).toBe(200);
    const { config } = await sender.installation();
    const reads = [installationPath(), `${installationPath()}/configs/${config.id}`].map((path) => within(path));
    const what = 'installation and config of 0.9 MB';
    await expectSurvival(
      'management',
      `100 times ${what}`,
      reads.flatMap((read) => times(100, read)),
      [200, 503],
    );
    const changes = Array.from({ length: 60 }, (_, at) => change('contacts', `${at}${longText(900_000)}`));
    await expectSurvival('management', '60 changes of 0.9 MB', changes, [200, 503]);
    expect(statusesOf(await flood([change('contacts', 'short')]))).toEqual({ 200: 1 });
  });

  // Each connection shows all of its provider app, which may have a megabyte.
  it('120 connections of a provider app of 0.9 MB', async () => {
    const { project, account, groupRef } = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'] });
    const to = (path: string, body?: object): Sent => ({
      url: `${project.url}${path}`,
      headers: { 'x-api-key': project.key },
      ...(body === undefined ? { method: 'GET' } : { body: Buffer.from(JSON.stringify(body)) }),
    });
    const metadata = { providerParams: { note: longText(900_000) } };
    await flood([to('/provider-apps', { provider: 'hubspot', clientId: 'large', clientSecret: 'secret', metadata })]);
    const [app] = await project.client.management.listProviderApps({});
    const oauth2AuthorizationCode = { accessToken: { token: account.token } };
    const order = { groupRef, consumerRef: 'user', provider: 'hubspot', oauth2AuthorizationCode };
    const connect = to('/connections:generate', { ...order, providerAppId: app?.id });
    expect(statusesOf(await flood(times(120, connect), 2))).toEqual({ 201: 120 });
    const list = to('/connections');
    const [whole] = await expectSurvival('management', 'a list of 120 connections of 0.9 MB', [list], [200]);
    expect(whole?.bytes).toBeGreaterThan(108_000_000);
    await expectSurvival('management', '5 lists of 120 connections of 0.9 MB', times(5, list), [200, 503]);
    const newest = to(`/providers/hubspot/objects/contacts/metadata?groupRef=${groupRef}`);
    await expectSurvival('management', '40 times the newest of 120 connections', times(40, newest), [200, 503]);
  });

  it('an operation of 95 MB', async () => {
    const operationId = await autoBatch(other);
    await other.ended(operationId);
    const headers = { 'x-api-key': other.project.key };
    for (const part of ['explanation', 'records', 'logs']) {
      const sent: Sent = { method: 'GET', url: `${other.project.url}/operations/${operationId}/${part}`, headers };
      const [page] = await expectSurvival('management', `${part} of 95 MB`, [sent], [200]);
      expect(page?.bytes).toBeLessThan(1_010_000);
      await expectSurvival('management', `40 times ${part} of 95 MB`, times(40, sent), [200, 503]);
    }
  });

  it('bodies of 1 MB', async () => {
    const body = Buffer.from(`{"sourceYaml":${JSON.stringify(`a: [${'[],'.repeat(340_000)}]`)}}`);
    const path = '/integrations:batch';
    await expectSurvival('management', 'one manifest of 1 MB', [within(path, { method: 'PUT', body })], [400]);
    await expectSurvival(
      'management',
      '20 manifests of 1 MB',
      times(20, within(path, { method: 'PUT', body })),
      [400, 503],
    );
    const lists = Buffer.from(`{"updateMask":["a"],"installation":{"a":[${'[],'.repeat(340_000)}[]]}}`);
    const patch = within(installationPath(), { method: 'PATCH', body: lists });
    await expectSurvival('management', '100 updates of 1 MB', times(100, patch), [400, 503]);
  });

  describe('zips of a manifest', () => {
    const lists = `a: [${'[],'.repeat(345_000)}]`;
    const zips: readonly (readonly [string, () => Buffer])[] = [
      ['1 MB beside a manifest', () => zipOf([manifestOf('zipped'), noiseOf(1_000_000)])],
      ['a manifest of 1 MB of lists', () => zipOf([{ name: 'amp.yaml', content: lists }])],
      [
        '1,000 entries with long names',
        () =>
          zipOf([manifestOf('many'), ...Array.from({ length: 999 }, (_, at) => emptyOf(`${'n'.repeat(400)}${at}`))]),
      ],
      [
        'a manifest that unpacks to 200 MB and says 1 MB',
        () => zipOf([{ name: 'amp.yaml', content: Buffer.alloc(200_000_000, ' '), statedBytes: 1_000_000 }]),
      ],
    ];

    it.each(zips)('%s', async (what, zip) => {
      const bytes = zip();
      expect(bytes.length).toBeLessThan(1_048_576);
      const { url, bucket, path } = await sender.project.client.management.generateUploadUrl({});
      const put: Sent = {
        method: 'PUT',
        url: `${origin()}${new URL(url).pathname}`,
        headers: { 'content-type': 'application/zip' },
        body: bytes,
      };
      await expectSurvival('management', `a zip with ${what}`, [put], [200, 400]);
      await expectSurvival('management', `100 zips with ${what}`, times(100, put), [200, 400, 503]);
      const body = Buffer.from(JSON.stringify({ sourceZipUrl: `gs://${bucket}/${path}` }));
      const deploy = within('/integrations:batch', { method: 'PUT', body });
      await expectSurvival('management', `a deployment of ${what}`, [deploy], [200, 400]);
      await expectSurvival('management', `50 deployments of ${what}`, times(50, deploy), [200, 400, 409, 503]);
    });
  });

  describe('the page of a return', () => {
    const back = (query: Record<string, string>): Sent => ({
      method: 'GET',
      url: `${origin()}/callbacks/v1/oauth?${new URLSearchParams(query).toString()}`,
    });

    it('with long parameters, and a state that nobody made', async () => {
      const state = 's'.repeat(43);
      const long = '<'.repeat(4_000);
      const queries: Record<string, string>[] = [
        { state, code: long },
        { state, error: 'access_denied', error_description: long },
      ];
      for (const query of queries) {
        const what = `with ${Object.keys(query).join(', ')}`;
        await expectSurvival('management', `a return ${what}`, [back(query)], [400]);
        await expectSurvival('management', `300 returns ${what}`, times(300, back(query)), [400, 503]);
      }
    });

    it('while the provider answers with 10 MB in place of tokens', async () => {
      const app = { provider: 'hubspot', clientId: 'returns', clientSecret: 'secret', scopes: ['oauth'] };
      await flood([within('/provider-apps', { method: 'POST', body: JSON.stringify(app) })]);
      const { project, groupRef } = sender;
      const order = { projectIdOrName: project.id, provider: 'hubspot', groupRef, consumerRef: 'user' };
      const connect: Sent = {
        url: `${origin()}/v1/oauth-connect`,
        headers: { 'x-api-key': project.key },
        body: JSON.stringify(order),
      };
      const links = await flood(times(41, connect), 4);
      expect(statusesOf(links)).toEqual({ 200: 41 });
      const returns = links.map(({ text }) =>
        back({ state: new URL(text).searchParams.get('state') ?? '', code: 'code' }),
      );
      const tokens = JSON.stringify({ access_token: longText(9_900_000), refresh_token: 'r', expires_in: 1_800 });
      provider.answer(undefined, '/oauth/v1/token', () => tokens);
      const allowed = [400, 422, 502, 503, 504];
      await expectSurvival('management', 'a return to 10 MB of tokens', returns.slice(0, 1), allowed);
      await expectSurvival('management', '40 returns to 10 MB of tokens', returns.slice(1), allowed);
      provider.answer(undefined, '/oauth/v1/token', undefined);
    });
  });

  it('the pages of the console', async () => {
    const page: Sent = { method: 'GET', url: `${origin()}/console` };
    const [whole] = await expectSurvival('management', 'the console', [page], [200]);
    const names = [...(whole?.text ?? '').matchAll(/(?:href|src)="console\/([^"]+)"/g)].map(([, name]) => name);
    expect(names).toHaveLength(3);
    const files: Sent[] = names.map((name) => ({ method: 'GET', url: `${origin()}/console/${name}` }));
    const packed = files.map((file) => ({ ...file, headers: { 'accept-encoding': 'gzip, br' } }));
    const unknown: Sent = { method: 'GET', url: `${origin()}/console/${'x'.repeat(8_000)}` };
    await expectSurvival(
      'management',
      'each file of the console',
      { oneByOne: [...files, ...packed, unknown] },
      [200, 404],
    );
    const all = [page, ...files, ...packed, unknown].flatMap((sent) => times(50, sent));
    await expectSurvival('management', `${all.length} pages of the console`, all, [200, 404, 503]);
  });

  it('provider replies of 10 MB', async () => {
    const path = '/crm/v3/properties/contacts';
    const property = { name: 'x', label: longText(30_000), type: 'string', fieldType: 'text' };
    const results = Array.from({ length: 300 }, (_, at) => ({ ...property, name: `x${at}` }));
    provider.answer(sender.account.token, path, () => JSON.stringify({ results }));
    const metadata = within(
      `/integrations/${sender.integrationId}/objects/contacts/metadata?groupRef=${sender.groupRef}`,
    );
    const allowed = [200, 422, 502, 503, 504];
    await expectSurvival('management', '40 descriptions of 10 MB', times(40, metadata), allowed);
    provider.answer(sender.account.token, path, undefined);
  });

  it.each([
    { count: 60, fields: 1_000, labelBytes: 100 },
    { count: 6, fields: 300, labelBytes: 15_000 },
  ])('a hydration of $count objects with $fields fields', async ({ count, fields, labelBytes }) => {
    const objects = Array.from({ length: count }, (_, at) => `p_large${at}`);
    const form = await createCustomer(stack, { provider: 'hubspot', read: objects, write: objects });
    const property = { label: longText(labelBytes), type: 'string', fieldType: 'text' };
    const results = Array.from({ length: fields }, (_, at) => ({ ...property, name: `field_${at}` }));
    const reply = JSON.stringify({ results });
    for (const name of objects) {
      provider.answer(form.account.token, `/crm/v3/properties/${name}`, () => reply);
      provider.answer(form.account.token, `/crm-object-schemas/2026-03/schemas/${name}`, () => '{}');
    }
    const { integrationId, connectionId, project } = form;
    const { latestRevision } = await project.client.management.getIntegration({ integrationId });
    const sent: Sent = {
      method: 'GET',
      url: `${project.url}/integrations/${integrationId}/revisions/${latestRevision.id}:hydrate?connectionId=${connectionId}`,
      headers: { 'x-api-key': project.key },
    };
    const what = `of ${count} objects with ${fields} fields`;
    const [whole] = await expectSurvival('management', `a hydration ${what}`, [sent], [200]);
    expect(whole?.bytes).toBeGreaterThan(2 * count * fields * labelBytes);
    await expectSurvival('management', `40 hydrations ${what}`, times(40, sent), [200, 503]);
  });
});

/** Bodies of a megabyte: what a limit on their size alone lets through. */
const surpluses: readonly (readonly [string, string])[] = [
  ['empty lists', `[${'[],'.repeat(300_000)}[]]`],
  ['numbers', `[${'1,'.repeat(450_000)}1]`],
  ['names', `{${Array.from({ length: 60_000 }, (_, at) => `"f${at}":${at}`).join(',')}}`],
  ['a text', JSON.stringify(longText(900_000))],
];

describe.each(['management', 'search', 'write-gateway'] as const)('[sec-28] every endpoint of %s', (name) => {
  let endpoints: readonly Endpoint[];
  beforeAll(async () => {
    const { target } = await createTarget(stack, sender.project, 'hubspot');
    const origin = stack.processes.url(name);
    endpoints = endpointsOf(target).filter((endpoint) => endpoint.origin === origin);
  });

  const sentTo = ({ method, origin, segments, query = {} }: Endpoint, body?: string): Sent => ({
    method: method as NonNullable<Sent['method']>,
    url: `${origin}/${segments.join('/')}?${new URLSearchParams(query).toString()}`,
    headers: { 'x-api-key': sender.project.key },
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  /** Refused or done, and not failed. */
  const answered = Array.from({ length: 300 }, (_, at) => 200 + at).concat(502, 503, 504);

  it.each(surpluses)('bodies with a megabyte of %s, one at a time and ten at once', async (what, surplus) => {
    const withBody = endpoints.filter(({ body }) => body !== undefined);
    const spoiled = withBody.map((endpoint) => {
      const text = JSON.stringify(endpoint.body);
      return sentTo(endpoint, `${text.slice(0, -1)}${text === '{}' ? '' : ','}"surplus":${surplus}}`);
    });
    await expectSurvival(name, `each of ${withBody.length} requests with ${what}`, { oneByOne: spoiled }, answered);
    await expectSurvival(
      name,
      `each of ${withBody.length} requests with ${what}, ten times`,
      spoiled.flatMap((sent) => times(10, sent)),
      answered,
    );
  });

  // Search and write gateway have no reads.
  if (name !== 'management') return;

  it('reads, one at a time and fifty of each at once', async () => {
    const reads = endpoints.filter(({ method }) => method === 'GET').map((endpoint) => sentTo(endpoint));
    expect(reads.length).toBeGreaterThan(30);
    await expectSurvival(name, `each of ${reads.length} reads`, { oneByOne: reads }, answered);
    await expectSurvival(
      name,
      `each of ${reads.length} reads, fifty times`,
      reads.flatMap((sent) => times(50, sent)),
      answered,
    );
  });
});
