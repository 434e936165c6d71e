import {
  cloneDatabase,
  patientLimits,
  seedInstallation,
  type ClonedDatabase,
  type SeededInstallation,
} from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { nowhere } from '../failpoints';
import { createStore, type Store } from '../store';
import { connectionStore } from '../connections/connection-store';
import { findManyCredentials } from '../connections/connection-tokens';
import { integrationStore } from '../integrations/integration-store';
import { configStore } from './config-store';
import { installationLookup } from './installation-lookup';
import { installationStore } from './installation-store';

/** Customers of one project, each with a group, a consumer, a connection and an installation of its own. */
const customers = 150;
/** Blocks that a statement may touch which looks up each row of a table by its key: some thousand. A product of two tables touches 22,500. */
const blocksMax = 10_000;

let clone: ClonedDatabase;
let database: Knex;
let store: Store;
let seed: SeededInstallation;

beforeAll(async () => {
  clone = await cloneDatabase();
  const options = { url: clone.url, applicationName: 'without-statistics-test', limits: patientLimits };
  database = openDatabase(options);
  store = createStore(options);
  const tables = await database<{ relname: string }>('pg_stat_user_tables').select('relname');
  for (const { relname } of tables) await database.raw('alter table ?? set (autovacuum_enabled = off)', [relname]);
  seed = await seedInstallation(store);
  for (let customer = 2; customer <= customers; customer += 1) await installFor(customer);
  await reviseOften();
});

afterAll(async () => {
  await store.close();
  await database.destroy();
  await clone.drop();
});

async function installFor(customer: number): Promise<void> {
  const { projectId, integrationId, revisionId } = seed;
  const [groupRef, accountRef] = [`group-${customer}`, `account-${customer}`];
  const connection = await store.connections.create({
    projectId,
    provider: 'hubspot',
    groupRef,
    consumerRef: `user-${customer}`,
    authScheme: 'apiKey',
    reportedAccountRef: accountRef,
    workspaceRef: accountRef,
    seal: () => ({ text: 'unreadable', keyId: 'none' }),
  });
  const config = {
    revisionId,
    content: { provider: 'hubspot', write: { objects: { [groupRef]: { objectName: groupRef } } } },
    createdBy: 'builder:seed',
  };
  await store.installations.create({
    projectId,
    integrationId,
    groupRef,
    connectionId: connection.id,
    createdBy: 'builder:seed',
    config,
  });
}

/** As many revisions of the integration, with as many configs of one installation that follow them. */
async function reviseOften(): Promise<void> {
  const many = `generate_series(1, ${customers}) n`;
  const { projectId, integrationId, installationId } = seed;
  await database.raw(
    `with revised as (insert into revisions (project_id, id, integration_id, spec_version, content)
       select :projectId, 'revision-' || n, :integrationId, '1.0.0', '{}' from ${many}),
     contents as (insert into config_contents (project_id, hash, content)
       select :projectId, 'hash-' || n, '{}' from ${many})
     insert into configs (project_id, id, installation_id, revision_id, content_hash, created_by)
     select :projectId, 'config-' || n, :installationId, 'revision-' || n, 'hash-' || n, 'builder:seed' from ${many}`,
    { projectId, integrationId, installationId },
  );
}

/** Blocks that the statements of `work` touch, as Postgres counts them for the plan it chooses. */
async function blocksOf(work: () => Promise<unknown>): Promise<number> {
  const statements: { sql: string; bindings?: readonly Knex.RawBinding[] }[] = [];
  const onQuery = (statement: (typeof statements)[number]) => statements.push(statement);
  database.on('query', onQuery);
  await work();
  database.off('query', onQuery);
  let blocks = 0;
  for (const { sql, bindings = [] } of statements) {
    const { rows } = await database.raw<{ rows: { 'QUERY PLAN': readonly Explained[] }[] }>(
      `explain (analyze, buffers, format json) ${sql.replaceAll(/\$\d+/g, '?')}`,
      [...bindings],
    );
    const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
    if (explained === undefined) throw new Error(`no plan for ${sql}`);
    blocks += explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'];
  }
  expect(statements.length).toBeGreaterThan(0);
  return blocks;
}

interface Explained {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

const page = { size: 100 };

// A new system, a restored one, one after a major upgrade of Postgres: no table has been analyzed yet.
it.each<[string, () => Promise<unknown>]>([
  [
    'an installation',
    () => installationStore(database, nowhere).find(seed.projectId, seed.integrationId, seed.installationId),
  ],
  ['installations', () => installationStore(database, nowhere).list(seed.projectId)],
  ['a page of installations', () => installationStore(database, nowhere).listPage(seed.projectId, {}, page)],
  [
    'installations that read',
    () => installationStore(database, nowhere).idsReading(seed.projectId, seed.integrationId, ['contacts']),
  ],
  ['a connection', () => connectionStore(database).find(seed.projectId, seed.connectionId)],
  ['connections', () => connectionStore(database).listPage(seed.projectId, {}, page)],
  ['the newest connection', () => connectionStore(database).findNewest(seed.projectId, { groupRef: seed.groupRef })],
  ['configs', () => configStore(database).listPage(seed, page)],
  ['an integration', () => integrationStore(database).find(seed.projectId, seed.integrationId)],
  [
    'a look-up',
    () =>
      installationLookup(database).findIds({
        withinProjectId: seed.projectId,
        projectIdOrName: seed.projectId,
        integrationId: seed.integrationId,
        groupRef: seed.groupRef,
      }),
  ],
  [
    'credentials',
    () => findManyCredentials(database, [{ projectId: seed.projectId, connectionId: seed.connectionId }]),
  ],
])('%s: no product of tables where Postgres has no statistics', async (_, read) => {
  expect(await blocksOf(read)).toBeLessThan(blocksMax);
});
