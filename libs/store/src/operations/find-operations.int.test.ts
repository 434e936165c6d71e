import { useDatabase } from '../../test/use-database';
import { findOperations, type OperationSearch } from './find-operations';

const fixture = useDatabase(insertOperations);

const total = 50_000;
const at = (n: number) => new Date(Date.parse('2026-06-01T00:00:00Z') + n * 1_000);
const idAt = (n: number) => {
  const hex = at(n).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
};

/**
 * One a second, in turn of two installations, `many` with a hundred records by their count and `one` with one. A record of the very first failed;
 * the records themselves are those of the first ten.
 */
async function insertOperations(): Promise<void> {
  await fixture.database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                             type, mode, state, records_total, records_failed, traceparent, created_at)
     select 'p', substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), 'i',
            case when n % 2 = 0 then 'many' else 'one' end, 'c', 'k', 'l', 'contacts', 'create', 'asynchronous', 'succeeded',
            case when n % 2 = 0 then 100 else 1 end, case when n = 1 then 1 else 0 end, 't', moment
     from (select n, ?::timestamptz + n * interval '1 second' as moment,
                  lpad(to_hex((extract(epoch from ?::timestamptz + n * interval '1 second') * 1000)::bigint), 12, '0') as v7
           from generate_series(1, ?::integer) n) made`,
    [at(0), at(0), total],
  );
  await fixture.database.raw(
    `insert into records (project_id, operation_id, record_index, ref, accept_seq, traceparent, config_id, retry_ms)
     select project_id, id, 0, 'row', 1, traceparent, config_id, 1
     from (select * from operations order by id limit 10) o`,
  );
  await fixture.database.raw(
    `insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids)
     select project_id, id, 1, 1, 'succeeded', '{0}', array['crm-' || n]
     from (select o.*, row_number() over (order by id) as n from operations o order by id limit 10) o`,
  );
  await fixture.database.raw(
    `insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
     values ('p', 'many', 'i', 'acme-many', 'k', 'c', 'x'), ('p', 'one', 'j', 'acme-one', 'k', 'c', 'x')`,
  );
  await fixture.database.raw('vacuum analyze operations, records, outcomes');
}

/** Ids of every page, and how many pages there are. */
async function readAll(search: OperationSearch, size = 50) {
  const found: string[][] = [];
  let after: string | undefined;
  do {
    const page = await findOperations(fixture.database, 'p', search, {
      size,
      ...(after === undefined ? {} : { after }),
    });
    if (page === 'too-many-installations') throw new Error(page);
    found.push(page.items.map(({ id }) => id));
    after = page.lastId;
  } while (after !== undefined);
  return found;
}

// A search that no index answers must not read a project of a million to its end before it says anything.
it('says how far it came where nothing was found, and goes on from there', async () => {
  expect(await readAll({ hasFailures: true })).toEqual([[], [], [idAt(1)]]);
  const first = await findOperations(fixture.database, 'p', { hasFailures: true }, { size: 50 });
  expect(first).toEqual({ items: [], lastId: idAt(total - 20_000 + 1) });
});

it('shares what it reads among the installations of a prefix, and loses none of them', async () => {
  const pages = await readAll({ groupRefPrefix: 'acme', hasFailures: true });
  expect(pages.flat()).toEqual([idAt(1)]);
  expect(pages.length).toBe(3);
  expect((await readAll({ groupRefPrefix: 'acme-o', hasFailures: true })).flat()).toEqual([idAt(1)]);
  expect(await readAll({ groupRefPrefix: 'acme-m', hasFailures: true })).toEqual([[], []]);
  const [newest] = await readAll({ groupRefPrefix: 'acme', since: at(total - 100) }, 1_000);
  expect(newest).toEqual(Array.from({ length: 101 }, (_none, n) => idAt(total - n)));
});

it('counts the records that it reads: of large operations fewer are read at once', async () => {
  const ofOne = await readAll({ installationId: 'one', recordRef: 'row', since: at(0) });
  expect(ofOne).toEqual([[], [9, 7, 5, 3, 1].map(idAt)]);
  const ofMany = await readAll({ installationId: 'many', recordId: 'crm-4', since: at(0), until: at(5_001) });
  // 2,500 of a hundred records each, 100,000 records at once.
  expect(ofMany).toEqual([[], [], [idAt(4)]]);
});

it('stays inside its span', async () => {
  const span = { installationId: 'one', recordRef: 'row', since: at(2), until: at(6) };
  expect((await readAll(span)).flat()).toEqual([idAt(5), idAt(3)]);
});

it('pages as a list does where an index helps', async () => {
  const pages = await readAll({ since: at(total - 4), until: at(total) }, 3);
  expect(pages).toEqual([[1, 2, 3].map((n) => idAt(total - n)), [idAt(total - 4)]]);
});
