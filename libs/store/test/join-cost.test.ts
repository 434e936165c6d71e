import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { insertIntoBatch } from '../src/writes/join-batch';
import type { BatchableWrite } from '../src/writes/join-statement';
import { pagesOf } from './statement-cost';
import { createWriteFixture, type WriteFixture } from './write-fixture';

type Database = ReturnType<typeof openDatabase>;

const groups = 50;
const timesMore = 20;

let fixture: WriteFixture;
let database: Database;
beforeAll(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits });
  for (const table of ['operations', 'records', 'open_batches']) {
    await database.raw('alter table ?? set (autovacuum_enabled = off)', [table]);
  }
  for (const [table, changed] of [
    ['groups', "jsonb_build_object('group_ref', t.group_ref || '-' || g)"],
    ['installations', "jsonb_build_object('id', t.id || '-' || g, 'group_ref', t.group_ref || '-' || g)"],
  ] as const) {
    await database.raw(
      `insert into ${table} select (jsonb_populate_record(t, ${changed})).* from ${table} t, generate_series(0, ?) g`,
      [timesMore * groups - 1],
    );
  }
});
afterAll(async () => {
  await database.destroy();
  await fixture.close();
});

/** A record for each of 50 installations, which joins the open batch of its installation or opens one. */
const join = (inside: Database, from: number) =>
  insertIntoBatch(
    inside,
    Array.from({ length: groups }, (_, at) => ofInstallation(fixture.batchable(), from + at)),
    { timeScale: 1 },
  );

function ofInstallation(write: BatchableWrite, number: number): BatchableWrite {
  const { pins, ...operation } = write.operation;
  return {
    ...write,
    operation: { ...operation, pins: { ...pins, installationId: `${pins.installationId}-${number}` } },
  };
}

// Without statistics, as in a database that grows faster than it is analyzed: the plan is that of empty tables.
it('with twenty times as many open batches, a join reads no more: each group finds its batch by key', async () => {
  await join(database, 0);
  const before = await pagesOf(database, (inside) => join(inside, 0));
  for (let from = groups; from < timesMore * groups; from += groups) await join(database, from);
  const after = await pagesOf(database, (inside) => join(inside, 0));
  // Indexes are a level deeper, for each of a few look-ups of a group; dead rows are not vacuumed.
  expect(after).toBeLessThan(1.5 * before + 10 * groups);
});
