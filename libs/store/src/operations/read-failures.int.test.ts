import type { Knex } from 'knex';
import { useDatabase } from '../../test/use-database';
import { readFailures, type FailureBounds } from './read-failures';

const total = 20_000;
const at = (n: number) => new Date(Date.parse('2026-06-01T00:00:00Z') + n * 1_000);
const problem = { field: 'email', code: 'INVALID_EMAIL', message: 'address VALUE is invalid' };
const fixture = useDatabase(insertOperations);

/** One a second in two projects; each hundredth failed whole, each thousandth but seven in part; of seven installations in turn. */
async function insertOperations(): Promise<void> {
  const { database } = fixture;
  await database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state,
       records_total, records_succeeded, records_failed, failed_at, traceparent, created_at)
     select p, substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), 'i', 'n' || n % 7, 'c', 'k', 'l', 'contacts',
       'create', 'asynchronous', case when failed = 2 then 'failed' else 'succeeded' end, 2, 2 - failed, failed, case when failed = 2 then moment end,
       't', moment
     from (select n, m.moment, case when n % 100 = 0 then 2 when n % 1000 = 7 then 1 else 0 end as failed,
             lpad(to_hex((extract(epoch from m.moment) * 1000)::bigint), 12, '0') as v7
           from generate_series(1, ?::integer) n cross join lateral (select ?::timestamptz + n * interval '1 second' as moment) m) made,
       unnest(array['p', 'q']) p`,
    [total, at(0)],
  );
  await database.raw(
    `insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids, error_classes, error_texts, problems)
     select project_id, id, 1, 1, 'failed', case records_failed when 2 then array[0, 1] else array[1] end, array_fill(null::text, array[records_failed]),
       array_fill('rejected'::text, array[records_failed]), array_fill('no such owner'::text, array[records_failed]),
       case records_failed when 2 then array[replace(?, 'VALUE', right(id, 4)), null] else array[null] end from operations where records_failed > 0`,
    [JSON.stringify([problem, problem])],
  );
  await database.raw(
    `insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
     select 'p', 'n' || n, 'i', 'g' || n, 'k', 'c', 'test' from generate_series(0, 5) n`,
  );
  await database.raw(
    `insert into deleted_installations (project_id, id, group_ref, connection_id) values ('p', 'n6', 'g6', 'k')`,
  );
  await database.raw(
    `insert into groups (project_id, group_ref, group_name) values ('p', 'g2', 'Acme'), ('p', 'g3', 'g3'), ('q', 'g4', 'x')`,
  );
  await database.raw('vacuum analyze operations, outcomes');
}

const read = (since: Date, bounds?: FailureBounds) => readFailures(fixture.database, 'p', since, bounds);

it('names who failed most, and with what, of one project and since the moment', async () => {
  // 19,100 to 20,000: ten operations of two records; none in part.
  const failures = await read(at(total - 900));
  expect(failures).toMatchObject({ records: 20 });
  expect(failures).not.toHaveProperty('completeSince');
  expect(failures.customers).toEqual([
    { groupRef: 'g1', records: 4 },
    { groupRef: 'g4', records: 4 },
    { groupRef: 'g6', records: 4 },
    { groupRef: 'g0', records: 2 },
    { groupRef: 'g2', groupName: 'Acme', records: 2 },
  ]);
  expect(failures.problems).toEqual([
    // Each has a sentence of its own: what they share is shown.
    { ...problem, message: 'address … is invalid', records: 10, customers: 7 },
    { message: 'no such owner', records: 10, customers: 7 },
  ]);
});

it('names a group by its name, also one whose installation is gone, and counts what failed in part', async () => {
  // 19,000 failed whole in g2, and 19,007 in part in g2 too.
  const { records, customers } = await read(at(19_000), { operationsMax: total, recordsMax: 1_000 });
  expect(records).toBe(23);
  expect(customers[0]).toEqual({ groupRef: 'g2', groupName: 'Acme', records: 5 });
  const all = await read(at(0), { operationsMax: total + 1, recordsMax: 1_000 });
  expect(all.records).toBe(20 + 400);
  expect(all).not.toHaveProperty('completeSince');
});

it('reads no further than its bounds, and says since when it read all', async () => {
  const few = await read(at(0), { operationsMax: total + 1, recordsMax: 10 });
  expect(few).toMatchObject({ records: 10, completeSince: at(total - 400).toISOString() });
  const newest = await read(at(0), { operationsMax: 100, recordsMax: 1_000 });
  // What failed whole is found however old it is.
  expect(newest).toMatchObject({ records: 400, completeSince: at(total - 99).toISOString() });
});

it('a project without failures has none', async () => {
  expect(await readFailures(fixture.database, 'other', at(0))).toEqual({ records: 0, customers: [], problems: [] });
});

it('reads operations by their keys and their index, and outcomes by operation', async () => {
  const lines: string[] = [];
  const explaining = {
    raw: async (sql: string, bindings: Knex.RawBinding) => {
      const { rows } = await fixture.database.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain ${sql}`, bindings);
      lines.push(...rows.map((row) => row['QUERY PLAN']));
      return { rows: [{ problems: [] }] };
    },
  };
  await readFailures(explaining as unknown as Knex, 'p', at(0), { operationsMax: 200, recordsMax: 20 });
  const scans = lines.flatMap((line) => /(\S+ Scan.*) on (?:operations|outcomes) /.exec(line)?.[1] ?? []);
  expect(scans).toEqual([
    'Index Scan Backward using operations_pkey',
    'Index Scan Backward using operations_failed',
    expect.stringMatching(/^Index Scan using outcomes_pkey/),
  ]);
});
