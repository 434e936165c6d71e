import { restateOutcomes, sampleManifest, seedInstallation } from '@sluice/testkit';
import type { Config, Installation, Log } from '@sluice/types';
import { prepareOperations, type PreparedOperations } from './prepare-operations';
import { prepareInstallation, type PreparedInstallation } from './prepare-installation';
import { useManagement } from './start-management';
import type { Response as Reply } from 'supertest';

const bodyBytes = 900_000;
/** A page ends at 1 MB of contents; what stands around them is small. */
const pageBytesMax = 1_010_000;
const revisions = 12;
const groups = 8;

const management = useManagement();
let prepared: PreparedInstallation;
beforeAll(async () => {
  prepared = await prepareInstallation(management);
  for (let group = 0; group < groups; group += 1) {
    const manifest = sampleManifest({ name: `crm-${group}` });
    const { projectId } = prepared.seed;
    await seedInstallation(management.context.store, { projectId, groupRef: `large-${group}`, manifest });
  }
  const { projectId, installationId } = prepared.seed;
  // As 12 changes of a config of 0.9 MB leave it, and the same contents in force at every other installation.
  await management.database.raw(
    `with numbered as (select n, 'large-' || n as hash, jsonb_build_object('provider', 'hubspot', 'write', jsonb_build_object('objects',
         jsonb_build_object('contacts', jsonb_build_object('objectName', 'contacts', 'selectedValueDefaults', jsonb_build_object('stage', jsonb_build_object('value', repeat('x', :bodyBytes) || n)))))) as content
         from generate_series(1, :revisions) n),
       contents as (insert into config_contents (project_id, hash, content) select :projectId, hash, content::text from numbered)
     insert into configs (project_id, id, installation_id, revision_id, content_hash, created_by, created_at)
     select project_id, gen_random_uuid()::text, installation_id, revision_id, hash, created_by, created_at + n * interval '1 ms'
     from numbered, configs where project_id = :projectId and installation_id = :installationId`,
    { bodyBytes, revisions, projectId, installationId },
  );
  await management.database.raw(
    `update configs set content_hash = 'large-1' where project_id = ? and installation_id <> ?`,
    [projectId, installationId],
  );
});

interface Read<Item> {
  readonly items: readonly Item[];
  readonly bytesOfPages: readonly number[];
}

async function pagesFrom<Item>(path: string, send = prepared.send): Promise<Read<Item>> {
  const items: Item[] = [];
  const bytesOfPages: number[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const reply: Reply = await send.get(next);
    expect([reply.status, reply.status === 200 ? '' : reply.text.slice(0, 600)]).toEqual([200, '']);
    items.push(...(reply.body as Item[]));
    bytesOfPages.push(Buffer.byteLength(reply.text));
    next = /^<(.+)>; rel="next"$/.exec(reply.headers['link'] ?? '')?.[1];
  }
  return { items, bytesOfPages };
}

it.each(['', '?pageSize=1000'])('the history of configs is in pages that end at 1 MB (%s)', async (query) => {
  const { items, bytesOfPages } = await pagesFrom<Config>(`${prepared.path}/configs${query}`);
  expect(Math.max(...bytesOfPages)).toBeLessThan(pageBytesMax);
  expect(new Set(items.map(({ id }) => id)).size).toBe(revisions + 1);
  const newestFirst = items.map(({ createTime }) => createTime).sort((a, b) => (a < b ? 1 : -1));
  expect(items.map(({ createTime }) => createTime)).toEqual(newestFirst);
});

describe('installations with large configs', () => {
  const path = () => `/v1/projects/${prepared.seed.projectId}/installations`;

  it('are given whole, in batches, and as the pages give them', async () => {
    const whole = await prepared.send.get(path()).expect(200);
    expect(whole.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(whole.headers).not.toHaveProperty('link');
    const { items, bytesOfPages } = await pagesFrom<Installation>(`${path()}?pageSize=1000`);
    expect(Math.max(...bytesOfPages)).toBeLessThan(pageBytesMax);
    expect(whole.body).toHaveLength(groups + 1);
    expect(whole.body).toEqual(items);
  });
});

// Whoever connects may say a megabyte about the account, and each connection repeats its provider app: one list of 120 was 108 MB.
describe('connections with much about them', () => {
  const count = 8;
  let large: PreparedInstallation;
  const path = (list: string) => `/v1/projects/${large.seed.projectId}/${list}`;
  beforeAll(async () => {
    large = await prepareInstallation(management);
    const { projectId } = large.seed;
    for (let group = 1; group < count; group += 1) {
      const manifest = sampleManifest({ name: `crm-${group}` });
      await seedInstallation(management.context.store, { projectId, groupRef: `large-${group}`, manifest });
    }
    const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret' };
    for (let made = 0; made < count; made += 1) await large.send.post(path('provider-apps')).send(app).expect(200);
    const note = 'x'.repeat(400_000);
    await management
      .database('connections')
      .where({ project_id: projectId })
      .update({
        provider_metadata: JSON.stringify({ note: { value: note, source: 'input' } }),
        provider_app_id: management.database('provider_apps').where({ project_id: projectId }).min('id'),
      });
    await management
      .database('provider_apps')
      .where({ project_id: projectId })
      .update({ metadata: JSON.stringify({ providerParams: { note } }) });
  });

  it.each([
    ['connections', 1],
    ['installations', 1],
    ['provider-apps', 2],
  ])('%s are given whole, in batches, and in pages that end at 1 MB', async (list, perPage) => {
    const whole = await large.send.get(path(list)).expect(200);
    expect(whole.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(whole.headers).not.toHaveProperty('link');
    const { items, bytesOfPages } = await pagesFrom<object>(`${path(list)}?pageSize=1000`, large.send);
    expect(Math.max(...bytesOfPages)).toBeLessThan(pageBytesMax);
    expect(bytesOfPages).toHaveLength(count / perPage);
    expect(whole.body).toEqual(items);
    expect(whole.body).toHaveLength(count);
  });
});

it.each([
  ['api-keys', 'api_keys (key_hash, scopes', `sha256(cast(n as text)::bytea), '{read}'`],
  ['jwt-keys', 'jwt_keys (public_key_pem', `'-----BEGIN PUBLIC KEY-----' || repeat('p', 200)`],
])('%s of more than a page are given whole, in batches', async (list, columns, values) => {
  const { projectId } = prepared.seed;
  await management.database.raw(
    `insert into ${columns}, project_id, id, label) select ${values}, ?, gen_random_uuid()::text, repeat('l', 200)
     from generate_series(1, 2500) n`,
    [projectId],
  );
  const { body, headers } = await prepared.send.get(`/v1/projects/${projectId}/${list}`).expect(200);
  expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  const ids = (body as { id?: string; key?: string }[]).map(({ id, key }) => id ?? key);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(2_500);
});

// One request for it loaded every plan of the operation: 95 MB ended a service of 256 MiB.
describe('an operation of 48 MB', () => {
  let operations: PreparedOperations;
  let id: string;
  beforeAll(async () => {
    operations = await prepareOperations(management);
    id = await operations.accept(50);
    const { database: tables } = management;
    const plan = tables.raw(
      `jsonb_build_object('objectName', 'contacts', 'fields', jsonb_build_object('note', repeat('x', 950000)))::text`,
    );
    await tables('records').where({ operation_id: id }).update({ plan });
  });

  interface Page {
    readonly records: readonly { readonly index: number; readonly plan: { readonly fields: Record<string, string> } }[];
    readonly calls: readonly { readonly attempts: readonly { readonly number: number }[] }[];
    readonly pagination: { readonly done: boolean; readonly nextPageToken?: string };
  }

  const pathOf = (operationId: string) => `${operations.path}/operations/${operationId}/explanation`;
  async function explain(operationId: string) {
    const { send } = operations;
    const path = pathOf(operationId);
    const pages: Page[] = [];
    const bytesOfPages: number[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const reply: Reply = await send.get(next).expect(200);
      const page = reply.body as Page;
      pages.push(page);
      bytesOfPages.push(Buffer.byteLength(reply.text));
      const { nextPageToken }: Page['pagination'] = page.pagination;
      next = nextPageToken === undefined ? undefined : `${path}?pageToken=${nextPageToken}`;
    }
    return { pages, bytesOfPages };
  }

  it('is explained in pages, each of what was read within 20 MB', async () => {
    const { send } = operations;
    const path = pathOf(id);
    const { pages } = await explain(id);
    expect(pages.map(({ records }) => records.length)).toEqual([22, 22, 6]);
    const records = pages.flatMap((page) => page.records);
    expect(records.map(({ index }) => index)).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(new Set(records.map(({ plan }) => plan.fields['note']))).toEqual(new Set(['string(950000)']));
    expect(new Set(pages.map(({ calls }) => calls.length))).toEqual(new Set([1]));
    await send.get(`${path}?pageToken=xyz`).expect(400);
    expect((await send.get(`${path}?pageSize=7`).expect(200)).body).toMatchObject({ records: { length: 7 } });
  });

  // The form of a value may be longer than the value, and what is sent is what another caller waits for.
  it('is explained in pages that end at 1 MB of reply: of records, and of the attempts that each page repeats', async () => {
    const { database: tables } = management;
    const { seed } = operations;
    const small = await operations.accept(100);
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`é${at}`, 1]));
    const plan = JSON.stringify({ objectName: 'contacts', fields });
    expect(100 * plan.length).toBeLessThan(1_100_000);
    await tables('records').where({ operation_id: small }).update({ plan });
    await tables.raw(
      `insert into attempts (project_id, operation_id, call_number, fence, owner, sent_at, finished_at, record_indexes, error_class, error_text)
       select ?, ?, 1, n, 'x', now() + n * interval '1 ms', now() + n * interval '1 ms', '{0}', 'unavailable', repeat('é', 1000)
       from generate_series(1, 900) n`,
      [seed.projectId, small],
    );
    const { pages, bytesOfPages } = await explain(small);
    expect(Math.max(...bytesOfPages)).toBeLessThan(pageBytesMax);
    // All but the last one are full: no record has a twentieth of a page.
    expect(Math.min(...bytesOfPages.slice(0, -1))).toBeGreaterThan(950_000);
    expect(pages.flatMap(({ records }) => records.map(({ index }) => index))).toEqual([...Array(100).keys()]);
    const numbers = pages.map(({ calls }) => calls[0]?.attempts.map(({ number }) => number) ?? []);
    const [first = []] = numbers;
    expect(first.length).toBeGreaterThan(200);
    expect(first).toEqual(first.map((_, at) => 901 - first.length + at));
    expect(new Set(numbers.map(String)).size).toBe(1);
  });

  it('has a log in pages that end at 1 MB, in which each event stands once, also in pages of a few', async () => {
    const { seed } = operations;
    const logged = await operations.accept(100);
    await management.database.raw(
      `insert into attempts (project_id, operation_id, call_number, fence, owner, sent_at, finished_at, record_indexes, error_class, provider_request_id)
       select ?, ?, n % 3, n, 'x', now() + n / 6 * interval '1 ms', now() + n / 6 * interval '1 ms', '{0}', 'unavailable', repeat('é', 500)
       from generate_series(1, 900) n`,
      [seed.projectId, logged],
    );
    const { send } = operations;
    const path = `${operations.path}/operations/${logged}/logs`;
    const { items, bytesOfPages } = await pagesFrom<Log>(path, send);
    expect(bytesOfPages.length).toBe(2);
    expect(Math.max(...bytesOfPages)).toBeLessThan(pageBytesMax);
    expect(bytesOfPages[0]).toBeGreaterThan(900_000);
    expect(items.map(({ timestamp }) => timestamp)).toEqual(items.map(({ timestamp }) => timestamp).toSorted());
    const attempts = items.map(
      ({ message: { msg, details } }) => `${details?.['call']} ${details?.['attempt']} ${msg}`,
    );
    expect(new Set(attempts).size).toBe(items.length);
    expect(items.length).toBe(1 + 2 * 900);
    const inParts = await pagesFrom<Log>(`${path}?pageSize=300`, send);
    expect(inParts.items).toEqual(items);
    expect(inParts.bytesOfPages).toHaveLength(Math.ceil(items.length / 300));
    await send.get(`${path}?pageToken=xyz`).expect(400);
    await send.get(`${path}?pageToken=${Buffer.from('e1.1.zz').toString('base64url')}`).expect(400);
  });

  it('has outcomes in pages that end at 1 MB', async () => {
    const { send } = operations;
    const warnings = ['é'.repeat(30_000)];
    await restateOutcomes(
      management.database,
      id,
      ...Array.from({ length: 50 }, () => ({ outcome: 'succeeded', warnings }) as const),
    );
    const { body, text } = await send.get(`${operations.path}/operations/${id}/records`).expect(200);
    expect(Buffer.byteLength(text)).toBeLessThan(pageBytesMax);
    expect(body).toMatchObject({ results: { length: 16 }, pagination: { done: false } });
  });
});
