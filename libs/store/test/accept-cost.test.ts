import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import { insertAccepted } from '../src/writes/accept-writes';
import { insertIntoBatch } from '../src/writes/join-batch';
import { pagesOf } from './statement-cost';
import { createWriteFixture, type WriteFixture } from './write-fixture';

type Database = ReturnType<typeof openDatabase>;

let fixture: WriteFixture;
let database: Database;
beforeAll(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 1, applicationName: 'test', limits: patientLimits });
});
afterAll(async () => {
  await database.destroy();
  await fixture.close();
});

const installationsMore = 20_000;

async function addInstallations(): Promise<void> {
  for (const [table, changed] of [
    ['groups', "jsonb_build_object('group_ref', t.group_ref || '-' || g)"],
    ['installations', "jsonb_build_object('id', t.id || '-' || g, 'group_ref', t.group_ref || '-' || g)"],
  ] as const) {
    await database.raw(
      `insert into ${table} select (jsonb_populate_record(t, ${changed})).* from ${table} t, generate_series(1, ?) g`,
      [installationsMore],
    );
  }
  await database.raw('analyze');
}

const accept = (inside: Database) =>
  insertAccepted(
    inside,
    Array.from({ length: 64 }, () => fixture.asynchronous()),
    { timeScale: 1, isRepeated: false },
  );
const join = (inside: Database) =>
  insertIntoBatch(
    inside,
    Array.from({ length: 64 }, () => fixture.batchable()),
    { timeScale: 1 },
  );

// Performance goal P12: accepting costs the same whatever the number of installations. One of them is read by its key.
it('with 20,000 installations more, no more is read by an accept and by a join', async () => {
  const costs = async () => [await pagesOf(database, accept), await pagesOf(database, join)];
  const [acceptBefore = 0, joinBefore = 0] = await costs();
  await addInstallations();
  const [acceptAfter, joinAfter] = await costs();
  const result = await database.raw<{ rows: [{ pages: number }] }>(
    "select relpages as pages from pg_class where relname = 'installations'",
  );
  const { pages } = result.rows[0];
  expect(pages).toBeGreaterThan(500);
  // A scan would read them all. What a rolled back insert left behind, and a deeper index, are far less.
  expect(acceptAfter).toBeLessThan(acceptBefore + pages / 2);
  expect(joinAfter).toBeLessThan(joinBefore + pages / 2);
});
