import type { Knex } from 'knex';
import { useDatabase } from '../../test/use-database';
import { newId } from '../new-id';
import { listOperations, type OperationFilter } from './list-operations';

const fixture = useDatabase(insertOperations);

const total = 20_000;
const at = (n: number) => new Date(Date.parse('2026-06-01T00:00:00Z') + n * 60_000);

/** One a minute; each thousandth has failed; 97 installations of one group. */
async function insertOperations(): Promise<void> {
  await fixture.database.raw(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                             type, mode, state, failed_at, traceparent, created_at)
     select 'p', substr(v7, 1, 8) || '-' || substr(v7, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), 'i', 'n' || n % 97, 'c', 'k',
            'l', 'contacts', 'create', 'asynchronous', case when n % 1000 = 0 then 'failed' else 'succeeded' end,
            case when n % 1000 = 0 then moment end, 't', moment
     from (select n, ?::timestamptz + n * interval '1 minute' as moment,
                  lpad(to_hex((extract(epoch from ?::timestamptz + n * interval '1 minute') * 1000)::bigint), 12, '0') as v7
           from generate_series(1, ?::integer) n) made`,
    [at(0), at(0), total],
  );
  await fixture.database.raw('vacuum analyze operations');
}

const list = (filter: Partial<OperationFilter>) => listOperations(fixture.database, 'p', { limit: 200, ...filter });

/** How Postgres reads `operations` for a list. */
async function scansOf(filter: Partial<OperationFilter>): Promise<string[]> {
  const explaining = {
    raw: async (sql: string, bindings: Knex.RawBinding) => {
      const { rows } = await fixture.database.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain ${sql}`, bindings);
      lines.push(...rows.map((row) => row['QUERY PLAN']));
      return { rows: [] };
    },
  };
  const lines: string[] = [];
  await listOperations(explaining as unknown as Knex, 'p', { limit: 200, ...filter });
  return lines.flatMap((line) => /(\S+ Scan.*) on operations/.exec(line)?.[1] ?? []);
}

describe('reads backwards over an index, however many there are', () => {
  it.each([
    ['of a project', {}, 'operations_pkey'],
    ['of a project, a later page', { beforeId: newId() }, 'operations_pkey'],
    ['of an installation', { installationId: 'n5' }, 'operations_installation'],
    ['failed ones', { status: 'failure' as const }, 'operations_failed'],
    ['since a moment', { since: at(total - 100) }, 'operations_pkey'],
  ])('%s', async (_name, filter, index) => {
    expect(await scansOf(filter)).toEqual([`Index Scan Backward using ${index}`]);
  });
});

it('since is exact, although ids bound what is read', async () => {
  const found = await list({ since: at(total - 99) });
  expect(found).toHaveLength(100);
  expect(found.at(-1)?.createTime).toBe(at(total - 99).toISOString());
});

// The clock of a gateway may differ from the database's: the id is a little less than an hour earlier than the row.
it('since finds an operation whose id was made by a clock that runs late', async () => {
  const late = await fixture
    .database('operations')
    .where({ created_at: at(total - 120) })
    .first<{ id: string }>('id');
  await fixture
    .database('operations')
    .where({ id: late.id })
    .update({ created_at: at(total - 65) });
  expect((await list({ since: at(total - 65) })).map(({ id }) => id)).toContain(late.id);
});

it('the pages of a failed list hold each once', async () => {
  const pages: string[] = [];
  for (let beforeId: string | undefined; ;) {
    const page = await list({ status: 'failure', limit: 7, ...(beforeId === undefined ? {} : { beforeId }) });
    if (page.length === 0) break;
    pages.push(...page.map(({ id }) => id));
    beforeId = page.at(-1)?.id;
  }
  expect(pages).toHaveLength(20);
  expect(pages).toEqual([...new Set(pages)].toSorted().toReversed());
});
