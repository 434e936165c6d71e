import type { OpenKind } from '@sluice/types';
import type { Knex } from 'knex';
import { rowsRead } from '../../test/rows-read';
import { useDatabase } from '../../test/use-database';
import { countOpenRecords } from './count-open-records';
import { findOpen } from './find-open';
import type { OperationSearch } from './find-operations';

const fixture = useDatabase(insertCalls);

/** Of two projects: 20,000 calls that are done, and a few of each kind that are not; 20,000 connections and lanes besides. */
async function insertCalls(): Promise<void> {
  const { database } = fixture;
  await database.raw(
    `insert into connections (project_id, id, provider, group_ref, consumer_ref, lane_id, auth_scheme, status)
     values ('p', 'well', 'hubspot', 'g', 'u', 'l', 'apiKey', 'created'), ('p', 'refused', 'hubspot', 'g', 'u', 'l', 'apiKey', 'bad_credentials')`,
  );
  await database.raw(
    `insert into lanes (project_id, id, provider, account_ref, blocked_until)
     values ('p', 'l', 'hubspot', '1', null), ('p', 'blocked', 'hubspot', '2', now() + interval '1 hour'),
       ('p', 'free again', 'hubspot', '3', now() - interval '1 second')`,
  );
  const calls = [
    // state, lane, connection, members: null is all five of the operation
    ['ready', 'l', 'well', null],
    ['in_doubt', 'free again', 'well', [3]],
    ['waiting', 'l', 'well', [1, 2]],
    ['running', 'blocked', 'refused', [0, 1, 2, 3]],
    ['ready', 'l', 'refused', null],
    ['waiting', 'l', 'refused', [4]],
    ['ready', 'blocked', 'well', [0, 1]],
    ['done', 'l', 'well', []],
  ] as const;
  for (const project of ['p', 'q']) {
    for (const [at, [state, lane, connection, members]] of calls.entries()) {
      await database.raw(insertOperation, [project, `o${at}`]);
      await database.raw(insertCall, [
        project,
        `o${at}`,
        lane,
        connection,
        state,
        members && [...members],
      ] as Knex.RawBinding[]);
    }
  }
  await database.raw(
    `insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, members, traceparent)
     select 'p', 'd' || n, 1, 'l', 'well', 'contacts', 'create', 'asynchronous', 'done', '{}', 't' from generate_series(1, 20000) n`,
  );
  for (const id of ['b1', 'b2', 'b3', 'c']) await database.raw(insertOperation, ['p', id]);
  const batch = `(project_id, installation_id, object_name, type, operation_id, connection_id, records, plan_bytes, due_at, is_open)`;
  await database.raw(
    `insert into open_batches ${batch} select 'p', 'i' || n, 'contacts', 'create', 'b' || n, 'refused', n, 1, now(), n > 1 from generate_series(1, 3) n`,
  );
  await database.raw(
    `insert into closed_batches (project_id, operation_id, connection_id, records, plan_bytes) values ('p', 'c', 'well', 7, 1), ('q', 'c', 'well', 1, 1)`,
  );
  await database.raw(
    `insert into connections (project_id, id, provider, group_ref, consumer_ref, lane_id, auth_scheme)
     select 'p', 'k' || n, 'hubspot', 'g', 'u', 'l' || n, 'apiKey' from generate_series(1, 20000) n`,
  );
  await database.raw(
    `insert into lanes (project_id, id, provider, account_ref) select 'p', 'l' || n, 'hubspot', 'of ' || n from generate_series(1, 20000) n`,
  );
  await database.raw('vacuum analyze calls, connections, lanes');
}

const insertOperation = `
  insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode, state, records_total,
    traceparent) values (?, ?, 'i', 'n', 'c', 'k', 'l', 'contacts', 'create', 'asynchronous', 'queued', 5, 't')`;
const insertCall = `
  insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, members, traceparent)
  values (?, ?, 1, ?, ?, 'contacts', 'create', 'asynchronous', ?, ?, 't')`;

it('counts records, not calls: those that wait, those that are held, those in open batches', async () => {
  // 5 + 1 + 2 + 4 and the closed batch; 5 + 1 + 2; 2 + 3.
  expect(await countOpenRecords(fixture.database, 'p')).toEqual({ waiting: 19, held: 8, filling: 5, isMore: false });
});

it('another project has its own', async () => {
  // Its connections and lanes are not known: nothing holds it.
  expect(await countOpenRecords(fixture.database, 'q')).toEqual({ waiting: 21, held: 0, filling: 0, isMore: false });
  expect(await countOpenRecords(fixture.database, 'r')).toEqual({ waiting: 0, held: 0, filling: 0, isMore: false });
});

it.each([
  [2, true],
  [5, false],
])('reads %i of a kind at most, and says when there may be more', async (max, isMore) => {
  expect(await countOpenRecords(fixture.database, 'p', max)).toMatchObject({ isMore });
});

// A join would read all connections and lanes of the project, whatever waits.
it('looks up the connections and lanes of what waits, and reads no other', async () => {
  const read = await rowsRead(fixture.database, (inside) => countOpenRecords(inside, 'p'));
  expect(read).toBeLessThan(1_000);
});

it('reads no call that is done', async () => {
  const lines: string[] = [];
  const explaining = {
    raw: async (sql: string, bindings: Knex.RawBinding) => {
      const { rows } = await fixture.database.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain ${sql}`, bindings);
      lines.push(...rows.map((row) => row['QUERY PLAN']));
      return { rows: [] };
    },
  };
  await countOpenRecords(explaining as unknown as Knex, 'p');
  const scans = lines.flatMap((line) => /(\S+ Scan.*) on calls/.exec(line)?.[1] ?? []);
  expect(scans.length).toBeGreaterThanOrEqual(4);
  for (const scan of scans) expect(scan).toMatch(/using calls_(ready|in_doubt|waiting|running_lane|sending|running)$/);
});

describe('the operations of each number', () => {
  const find = async (open: OpenKind, search: OperationSearch = {}, max = 1_500) => {
    const found = await findOpen(fixture.database, 'p', { open, ...search }, { size: 10, max });
    if (found === 'too-many-installations') throw new Error(found);
    return { ...found, ids: found.items.map(({ id }) => id) };
  };

  it.each<[OpenKind, string[]]>([
    ['waiting', ['o3', 'o2', 'o1', 'o0', 'c']],
    ['held', ['o6', 'o5', 'o4']],
    ['filling', ['b3', 'b2']],
  ])('that are %s, newest first', async (kind, ids) => {
    const counts = { inProgress: ids.length, success: 0, partial: 0, failure: 0, isAtLeast: false };
    expect(await find(kind)).toMatchObject({ ids, counts });
    expect((await find(kind, { status: 'success' })).ids).toEqual([]);
    expect((await find(kind, { objectName: 'contacts' })).ids).toEqual(ids);
    expect((await find(kind, { hasFailures: true })).ids).toEqual([]);
    expect((await find(kind, { installationId: 'another' })).counts.inProgress).toBe(0);
  });

  it('come in pages, each once, and the counts are of all', async () => {
    const page = async (after?: string) =>
      await findOpen(fixture.database, 'p', { open: 'waiting' }, { size: 2, ...(after && { after }) });
    const first = await page();
    expect(first).toMatchObject({ items: [{ id: 'o3' }, { id: 'o2' }], lastId: 'o2', counts: { inProgress: 5 } });
    expect(await page('o2')).toMatchObject({ items: [{ id: 'o1' }, { id: 'o0' }], lastId: 'o0' });
    const last = await page('o0');
    expect(last).toMatchObject({ items: [{ id: 'c' }], counts: { inProgress: 5 } });
    expect(last).not.toHaveProperty('lastId');
  });

  it('say when there may be more than was read', async () => {
    expect((await find('held', {}, 2)).counts.isAtLeast).toBe(true);
    expect((await find('filling', {}, 2)).counts.isAtLeast).toBe(true);
    expect((await find('filling', {}, 3)).counts.isAtLeast).toBe(false);
  });

  it.each<OpenKind>(['waiting', 'held', 'filling'])(
    'that are %s are found without reading what ended',
    async (open) => {
      const read = await rowsRead(fixture.database, (inside) => findOpen(inside, 'p', { open }, { size: 10 }));
      expect(read).toBeLessThan(1_000);
    },
  );
});
