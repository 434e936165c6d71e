import type { Knex } from 'knex';
import { rowsRead } from '../../test/rows-read';
import { useDatabase } from '../../test/use-database';
import { listFailuresFirst, type FailuresFirstPosition, type FailuresFirstSearch } from './failures-first';

const fixture = useDatabase(insertOperations);

const total = 60_000;
const failedOfOutage = 30_000;
const idAt = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/**
 * Of `p` each thousandth has failed, and 97 installations share one group. Of `outage` the newest half has failed, more than one search reads. One in
 * seven was written in part.
 */
async function insertOperations(): Promise<void> {
  await fixture.database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state,
                             records_total, records_failed, failed_at, traceparent)
     select p, '00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'i', 'n' || n % 97, 'c', 'k', 'l', 'contacts', 'create', 'asynchronous',
            case when is_failed then 'failed' else 'succeeded' end, 2, case when is_failed then 2 when n % 7 = 0 then 1 else 0 end,
            case when is_failed then now() end, 't'
     from unnest(array['p', 'outage']) p, generate_series(1, ?::integer) n,
       lateral (select case when p = 'p' then n % 1000 = 0 else n > ? end as is_failed) f`,
    [total, total - failedOfOutage],
  );
  await fixture.database.raw(
    `insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
     select 'p', 'n' || n, 'i' || n, 'acme', 'k', 'c', 'x' from generate_series(0, 96) n`,
  );
  await fixture.database.raw('vacuum analyze operations, installations');
}

const list = async (
  search: FailuresFirstSearch,
  page: { readonly size: number; readonly after?: FailuresFirstPosition | undefined },
  project = 'p',
) => {
  const found = await listFailuresFirst(fixture.database, project, search, page);
  if (found === 'too-many-installations') throw new Error(found);
  return found;
};

/** Ids of every page. */
async function readAll(search: FailuresFirstSearch, size: number, project = 'p') {
  const pages: string[][] = [];
  let after: FailuresFirstPosition | undefined;
  do {
    const page = await list(search, { size, after }, project);
    pages.push(page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

it('shows what failed first, then all others, both newest first', async () => {
  const failed = Array.from({ length: total / 1_000 }, (_none, at) => total - at * 1_000);
  const first = await list({}, { size: 100 });
  expect(first.items.slice(0, 62).map(({ id }) => id)).toEqual([...failed, total - 1, total - 2].map(idAt));
});

it('narrows each part to a customer and to a span', async () => {
  const ofInstallation = (await readAll({ installationId: 'n5' }, 1_000)).flat();
  const expected = Array.from({ length: total }, (_none, at) => total - at).filter((n) => n % 97 === 5);
  const isFailed = (n: number) => n % 1_000 === 0;
  expect(ofInstallation).toEqual([...expected.filter(isFailed), ...expected.filter((n) => !isFailed(n))].map(idAt));
  const [ofGroup] = await readAll({ groupRef: 'acme', status: 'failure' }, 1_000);
  expect(ofGroup).toHaveLength(60);
  expect(await readAll({ groupRef: 'another' }, 10)).toEqual([[]]);
});

// All that is newest has failed: the others begin behind more operations than one page reads.
it('passes over an outage in bounded steps, and shows each once', async () => {
  const pages = await readAll({}, 1_000, 'outage');
  expect(pages.flat()).toEqual(Array.from({ length: total }, (_none, at) => idAt(total - at)));
  expect(pages.filter(({ length }) => length === 0).length).toBeLessThanOrEqual(2);
});

// Entries of indexes and rows that are read: a page that grew with the project would read all operations.
it.each([
  ['the first page', 'p', {}],
  ['an installation', 'p', { installationId: 'n5' }],
  ['a group', 'p', { groupRef: 'acme' }],
  ['nothing', 'p', { objectName: 'nobody' }],
  ['behind an outage', 'outage', { status: 'success' as const }],
])('reads as much of many operations as of few: %s', async (_name, project, search) => {
  const read = await rowsRead(fixture.database, (inside: Knex) =>
    listFailuresFirst(inside, project, search, { size: 50 }),
  );
  expect(read).toBeLessThan(total);
});
