import type { Knex } from 'knex';
import { useDatabase } from '../../test/use-database';
import { findByText, textRecordsMax, type TextPosition } from './find-by-text';

const fixture = useDatabase(insertOperations);

const total = 60_000;
const start = Date.parse('2026-06-01T00:00:00Z');
const idAt = (n: number) => {
  const hex = (start + n * 1_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
};

/** One a second, each with two records and an outcome; and as many in another project, with the same refs. */
async function insertOperations(): Promise<void> {
  const { database } = fixture;
  await database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                             type, mode, state, records_total, traceparent, created_at)
     select p, substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), 'i', 'n' || n % 97, 'c', 'k', 'l',
            'contacts', 'create', 'asynchronous', 'succeeded', 2, 't', moment
     from unnest(array['p', 'q']) p, (select n, ?::timestamptz + n * interval '1 second' as moment,
       lpad(to_hex((extract(epoch from ?::timestamptz + n * interval '1 second') * 1000)::bigint), 12, '0') as v7
       from generate_series(1, ?::integer) n) made`,
    [new Date(start), new Date(start), total],
  );
  await database.raw(
    `insert into records (project_id, operation_id, record_index, ref, accept_seq, traceparent, config_id, retry_ms)
     select project_id, id, at, 'row-' || right(id, 6) || '-' || at, 1, 't', 'c', 1 from operations, generate_series(0, 1) at`,
  );
  await database.raw(
    `insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids)
     select project_id, id, 1, 1, 'succeeded', '{0,1}', array['crm-' || right(id, 6), 'x'] from operations`,
  );
  await database.raw(
    `insert into groups (project_id, group_ref, group_name) select 'p', 'g' || n, 'Group ' || n from generate_series(1, 20000) n`,
  );
  await database.raw(
    `insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
     select 'p', 'n' || n, 'i', 'g' || n, 'k', 'c', 'x' from generate_series(0, 20000) n`,
  );
  await database.raw('vacuum analyze operations, records, outcomes, groups, installations');
}

const hexOf = (n: number) => n.toString(16).padStart(6, '0');

/** Ids of every page. */
async function readAll(text: string) {
  const pages: string[][] = [];
  let after: TextPosition | undefined;
  do {
    const page = await findByText(fixture.database, 'p', { text }, { size: 50, ...(after && { after }) });
    pages.push(page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

/** How Postgres reads tables for a search. */
async function scansOf(text: string): Promise<string[]> {
  const plans: string[] = [];
  const explaining = Object.assign((name: string) => fixture.database(name), {
    raw: async (sql: string, bindings: Knex.RawBinding) => {
      const explained = await fixture.database.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain ${sql}`, bindings);
      plans.push(...explained.rows.map((row) => row['QUERY PLAN']));
      return await fixture.database.raw(sql, bindings);
    },
  });
  await findByText(explaining as unknown as Knex, 'p', { text }, { size: 50 });
  return plans.flatMap(
    (line) => /(?:\S+ )?\S+ Scan.* on (?:operations|records|outcomes|groups)\b/.exec(line.trim())?.[0] ?? [],
  );
}

it('reads so many records at once, says how far it came, and goes on from there', async () => {
  // Two records each: half as many operations.
  const near = textRecordsMax / 2;
  const first = await findByText(fixture.database, 'p', { text: 'nobody@example.com' }, { size: 50 });
  expect(first).toMatchObject({ items: [], recordsSearchedToId: idAt(total - near + 1), groups: [] });
  // The last full page does not know that it is the last.
  expect(await readAll('nobody@example.com')).toEqual(
    Array.from({ length: (2 * total) / textRecordsMax + 1 }, () => []),
  );
  for (const n of [total, total - near + 1, total - near, 1]) {
    expect((await readAll(`row-${hexOf(n)}-1`)).flat()).toEqual([idAt(n)]);
    expect((await readAll(`crm-${hexOf(n)}`)).flat()).toEqual([idAt(n)]);
  }
});

it('shows what a group wrote at once, however long ago', async () => {
  const { items, next } = await findByText(fixture.database, 'p', { text: 'group 5' }, { size: 50 });
  expect(items).toHaveLength(50);
  expect(next?.named).toBe(items.at(-1)?.id);
  const pages = (await readAll('g96')).flat();
  expect(pages.length).toBe(new Set(pages).size);
  expect(pages[0]).toBe(idAt(total - (total % 97) - 1));
});

it('no text makes it read a table whole', async () => {
  for (const text of ['nobody', 'group 5', idAt(9), hexOf(9).padStart(8, '0')]) {
    const scans = await scansOf(text);
    expect(scans.length).toBeGreaterThan(3);
    expect(scans.filter((scan) => !scan.startsWith('Index'))).toEqual([]);
  }
});
