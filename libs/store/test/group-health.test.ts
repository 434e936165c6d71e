import { operationsOfDayMax } from '@sluice/types';
import type { Knex } from 'knex';
import { listGroupHealth, type GroupFilter, type GroupPosition } from '../src/installations/group-health';
import { rowsRead } from './rows-read';
import { useDatabase } from './use-database';

const total = 20_000;
const fixture = useDatabase(fill);

/** Groups by ref and name, each with an installation; every tenth has a second connection that none uses; one in 500 fails. */
async function fill(): Promise<void> {
  const run = (sql: string) => fixture.database.raw(sql.replaceAll(':total', String(total)));
  await run(`insert into groups (project_id, group_ref, group_name)
    select 'p', 'ref-' || lpad(n::text, 6, '0'), 'Name ' || lpad((:total - n)::text, 6, '0') from generate_series(1, :total) n`);
  await run(`insert into consumers (project_id, consumer_ref, consumer_name) values ('p', 'u', 'u')`);
  await run(
    `insert into integrations (project_id, id, name, provider, latest_revision_id) values ('p', 'i', 'crm', 'hubspot', 'r')`,
  );
  await run(`insert into connections (project_id, id, provider, group_ref, consumer_ref, lane_id, auth_scheme, status)
    select 'p', 'k' || lpad(n::text, 6, '0'), 'hubspot', 'ref-' || lpad(n::text, 6, '0'), 'u', 'l' || n, 'apiKey',
           case when n % 1000 = 0 then 'bad_credentials' else 'working' end from generate_series(1, :total) n`);
  await run(`insert into connections (project_id, id, provider, group_ref, consumer_ref, lane_id, auth_scheme)
    select 'p', 'm' || lpad(n::text, 6, '0'), 'hubspot', 'ref-' || lpad(n::text, 6, '0'), 'u', 'l' || n, 'apiKey'
    from generate_series(10, :total, 10) n`);
  await run(`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
    select 'p', 'i' || n, 'i', 'ref-' || lpad(n::text, 6, '0'), 'k' || lpad(n::text, 6, '0'), 'c', 'u' from generate_series(1, :total) n`);
  // Few have installed the one; as many as make a walk too long the other, and these are the last by name.
  await run(`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
    select 'p', 'few' || n, 'few', 'ref-' || lpad(n::text, 6, '0'), 'k' || lpad(n::text, 6, '0'), 'c', 'u' from generate_series(1, 9001, 3000) n`);
  await run(`insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
    select 'p', 'last' || n, 'last', 'ref-' || lpad(n::text, 6, '0'), 'k' || lpad(n::text, 6, '0'), 'c', 'u' from generate_series(1, 6000) n`);
  await run(`insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                                     type, mode, state, failed_at, traceparent)
    select 'p', 'a' || lpad((n * 10 + m)::text, 8, '0'), 'i', 'i' || n, 'c', 'k', 'l', 'contacts', 'create', 'asynchronous',
           case when n % 500 = 1 then 'failed' else 'succeeded' end, case when n % 500 = 1 then now() end, 't'
    from generate_series(1, :total) n, generate_series(1, 5) m`);
  await run('vacuum analyze');
}

const list = (
  filter: GroupFilter = {},
  page: { readonly after?: GroupPosition; readonly limit?: number; readonly readMax?: number } = {},
) => listGroupHealth(fixture.database, 'p', filter, { limit: 25, ...page });
const refsOf = ({ groups }: Awaited<ReturnType<typeof list>>) => groups.map(({ group }) => group.groupRef);

it('shows unhealthy groups first, then all others by name, each once, in pages', async () => {
  const seen: string[] = [];
  for (let after: GroupPosition | undefined; ;) {
    const { groups } = await list({ search: 'NAME 0000' }, { limit: 7, ...(after && { after }) });
    if (groups.length === 0) break;
    seen.push(...groups.map(({ group }) => `${group.healthStatus} ${group.groupName}`));
    after = groups.at(-1)?.position;
  }
  expect(seen).toHaveLength(100);
  expect(new Set(seen).size).toBe(100);
  expect(seen.slice(0, 2)).toEqual(['unhealthy Name 000000', 'healthy Name 000001']);
  const all = await list();
  expect(all.groups.every(({ group }) => group.healthStatus === 'unhealthy')).toBe(true);
  expect(all.counts).toEqual({
    groups: { count: 10_000, isAtLeast: true },
    unhealthy: { count: 60 },
    badCredentials: { count: 20 },
    notInstalled: { count: 2_000 },
  });
});

it('finds by name before those that only their ref matches, whatever the case, and takes nothing as a pattern', async () => {
  await fixture.database('groups').insert({ project_id: 'p', group_ref: 'zz-by-name', group_name: 'REF-00000 itself' });
  expect(refsOf(await list({ search: 'Ref-00000' })).slice(0, 3)).toEqual(['ref-000001', 'zz-by-name', 'ref-000002']);
  await fixture.database('groups').where({ group_ref: 'zz-by-name' }).delete();
  expect(refsOf(await list({ search: '%' }))).toEqual([]);
});

/** Refs of each page. */
async function readAll(filter: GroupFilter): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: GroupPosition | undefined; ;) {
    const page = await list(filter, { limit: 1_000, readMax: 4_000, ...(after && { after }) });
    pages.push(refsOf(page));
    after = page.next ?? (page.groups.length < 1_000 ? undefined : page.groups.at(-1)?.position);
    if (after === undefined) return pages;
  }
}

it('finds the groups of an integration, whether few have it or those that come late by name', async () => {
  const few = ['009001', '006001', '003001', '000001'].map((ref) => `ref-${ref}`);
  expect(await readAll({ integrationId: 'few' })).toEqual([few]);
  expect(await readAll({ integrationId: 'few', search: 'ref-003' })).toEqual([['ref-003001']]);
  expect(await readAll({ integrationId: 'few', search: 'name 019' })).toEqual([['ref-000001']]);
  const pages = await readAll({ integrationId: 'last' });
  const found = pages.flat();
  expect(found).toHaveLength(6_000);
  expect(new Set(found).size).toBe(6_000);
  // Behind the unhealthy ones, by name: some pages have none, because each reads 4,000 groups.
  expect(pages).toContainEqual([]);
  const healthy = found.filter((ref) => !/(000|[05]01)$/.test(ref));
  expect(healthy).toEqual(healthy.toSorted().toReversed());
  expect(pages.length).toBeLessThan(10);
});

it('narrows to a state and to an integration', async () => {
  expect(refsOf(await list({ state: 'bad_credentials', search: 'ref-0010' }))).toEqual(['ref-001000']);
  const { groups } = await list({ state: 'not_installed', search: 'ref-00001' });
  expect(groups.map(({ group }) => [group.groupRef, group.unusedConnections.map(({ id }) => id)])).toEqual([
    ['ref-000010', ['m000010']],
  ]);
  expect(refsOf(await list({ integrationId: 'another' }))).toEqual([]);
});

it('adds up what each healthy group wrote in the last day, of as many operations as the page may read', async () => {
  const { database } = fixture;
  const write = (id: string, of: string, agoHours: number, failed: number) =>
    database.raw(
      `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state,
                               records_total, records_succeeded, records_failed, created_at, traceparent)
       values ('p', ?, 'i', ?, 'c', 'k', 'l', 'contacts', 'create', 'asynchronous', 'succeeded', 100, ?, ?, now() - ? * interval '1 hour', 't')`,
      [id, of, 100 - failed, failed, agoHours],
    );
  await write('b1', 'i2', 30, 7);
  await write('b2', 'i2', 3, 40);
  await write('b3', 'i2', 1, 2);
  const {
    groups: [one],
  } = await list({ groupRef: 'ref-000002' });
  expect(one?.group).toMatchObject({ healthStatus: 'healthy', installations: [{ lastDay: { failed: 42 } }] });
  // One operation more than the newest that are read.
  await database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state, traceparent)
     select 'p', 'c' || lpad(n::text, 8, '0'), 'i', 'i2', 'c', 'k', 'l', 'contacts', 'create', 'asynchronous', 'succeeded', 't' from generate_series(1, ?) n`,
    [operationsOfDayMax],
  );
  const read = await rowsRead(database, (inside: Knex) =>
    listGroupHealth(inside, 'p', { search: 'ref-00000' }, { limit: 9 }),
  );
  expect(read).toBeLessThan(total);
  const { groups } = await list({ search: 'ref-00000' }, { limit: 9 });
  const shown = groups.find(({ group }) => group.groupRef === 'ref-000002')?.group.installations[0];
  expect(shown?.lastDay).toMatchObject({ failed: 0, isAtLeast: true });
  await database.raw(`delete from operations where id >= 'b'`);
});

// Rows and entries that are read: the machine's load does not change them, and a page that grew with the project would read all groups.
it.each<[string, GroupFilter]>([
  ['the first page', {}],
  ['a letter', { search: 'n' }],
  ['a letter of every ref', { search: 'r' }],
  ['a name', { search: 'Name 012' }],
  ['nothing', { search: 'nobody' }],
  ['refused ones', { state: 'bad_credentials' }],
  ['an integration that few have', { integrationId: 'few' }],
  ['an integration of the last by name', { integrationId: 'last' }],
  ['a search in an integration', { integrationId: 'last', search: 'r' }],
])('reads as much of many groups as of few: %s', async (_name, filter) => {
  const read = await rowsRead(fixture.database, (inside: Knex) =>
    listGroupHealth(inside, 'p', filter, { limit: 25, readMax: 400 }),
  );
  expect(read).toBeLessThan(total);
});
