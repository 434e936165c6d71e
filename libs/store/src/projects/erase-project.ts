import type { Knex } from 'knex';
import { guard } from '../guard';
import { deleteInstallation } from '../installations/delete-installation';
import type { StoreFailpoints } from '../failpoints';

/**
 * How far the erasure of a deleted project is. `withdrawing`: something of it can still act or is a secret. `erasing`: only what happened is
 * left, and some of it went. `waiting`: for what is being sent, or for requests that may still be under way. `done`: nothing is left.
 */
export type Erasure = 'withdrawing' | 'erasing' | 'waiting' | 'done';

/** Operations that one statement deletes, with at most 100 records each. */
const operationsPerStep = 100;
const stepsPerRound = 20;
const installationsPerRound = 20;
/**
 * After it nothing of a request that began before the deletion arrives any more: keys are remembered for a second, a request takes a
 * minute at most. What such a request made is erased by a later round.
 */
const quietMinutes = 10;

/** First, so that nothing is made for them that would be deleted next. What they were told goes later: however much it is, it cannot act. */
const receivers = ['webhook_endpoints'] as const;
const told = ['webhook_messages', 'webhook_attempts'] as const;
/** Credentials, and whom they are of. After the installations: their deletion looks for lanes by the group's connections. */
const owned = [
  'api_keys',
  'jwt_keys',
  'oauth_states',
  'uploads',
  'connections',
  'provider_apps',
  'integrations',
  'groups',
  'consumers',
] as const;
/** What an operation that has not ended may need: a claim locks the lane, and reads config and revision; its end is told to the group of a deleted installation. */
const last = [
  'idempotency_keys',
  'quarantine',
  'attempts',
  'records',
  'calls',
  'lanes',
  'deleted_installations',
  'configs',
  'config_contents',
  'revisions',
] as const;

/**
 * One round of erasing a deleted project. Any number of processes may make rounds at once, and each goes on from what is there, so a
 * process that dies leaves nothing to repair. Installations end as when they are deleted alone: what waits fails, what is being sent
 * finishes and is not tried again. An operation is erased when it has ended.
 */
export async function eraseProject(erased: Erased): Promise<Erasure> {
  const { database, projectId } = erased;
  if (await emptySome(erased, receivers)) return 'withdrawing';
  if (await removeInstallations(erased)) return 'withdrawing';
  if (await emptySome(erased, owned)) return 'withdrawing';
  if (await emptySome(erased, told)) return 'erasing';
  if (await eraseEnded(erased)) return 'erasing';
  if ((await findFilled(erased, ['operations'])).length > 0) return 'waiting';
  if (!(await isQuiet(database, projectId))) return 'waiting';
  if (await emptySome(erased, last)) return 'erasing';
  await database('project_deletions').where({ project_id: projectId }).delete();
  return 'done';
}

/** The rows themselves are asked, not the list of installations: it lacks one whose connection is gone. */
async function removeInstallations({ database, projectId, failpoints }: Erased): Promise<boolean> {
  const rows = await database('installations')
    .where({ project_id: projectId })
    .orderBy('id')
    .limit(installationsPerRound)
    .select<{ id: string; integration_id: string }[]>('id', 'integration_id');
  for (const { id: installationId, integration_id: integrationId } of rows)
    await deleteInstallation(database, { projectId, integrationId, installationId }, failpoints);
  return rows.length > 0;
}

/** Each step goes on where the one before ended: the entries of what went stand in the key until a vacuum. */
async function eraseEnded({ database, projectId, failpoints }: Erased): Promise<boolean> {
  let after = '';
  for (let step = 0; step < stepsPerRound; step += 1) {
    const lastErased = await eraseStep(database, projectId, after);
    if (lastErased === null) return step > 0;
    after = lastErased;
    await failpoints.hit('st.after_erase_step');
  }
  return true;
}

/**
 * Operations with their records, calls, attempts and quarantine. One that somebody holds is left to the next round.
 * @returns the id of the last one; null when none was left
 */
async function eraseStep(database: Knex, projectId: string, after: string): Promise<string | null> {
  const childOf = (table: string) =>
    `delete from ${table} where project_id = :projectId and operation_id in (select id from gone)`;
  const { rows } = await guard(() =>
    database.raw<{ rows: [{ last_erased: string | null }] }>(
      `with ended as materialized (select id from operations where project_id = :projectId and id > :after
         and state in ('succeeded', 'failed') order by id limit :limit for update skip locked),
       gone as (delete from operations where project_id = :projectId and id in (select id from ended) returning id),
       calls_gone as (${childOf('calls')}), records_gone as (${childOf('records')}),
       attempts_gone as (${childOf('attempts')}), quarantine_gone as (${childOf('quarantine')})
       select max(id) as last_erased from gone`,
      { projectId, after, limit: operationsPerStep },
    ),
  );
  return rows[0].last_erased;
}

/** Whether no request of before the deletion can bring anything; also when another process has finished. */
async function isQuiet(database: Knex, projectId: string): Promise<boolean> {
  const { rows } = await database.raw<{ rows: { is_quiet: boolean }[] }>(
    `select requested_at < now() - make_interval(mins => ?) as is_quiet from project_deletions where project_id = ?`,
    [quietMinutes, projectId],
  );
  return rows[0]?.is_quiet ?? true;
}

/** A deleted project, where it is, and where a test may end who erases it. */
export interface Erased {
  readonly database: Knex;
  readonly projectId: string;
  readonly failpoints: StoreFailpoints;
}

/** Rows that one statement deletes: the statement stays far from its limit of 5 s. */
const rowsPerRound = 1_000;

/** @returns whether one of the tables had a row, so that there may be more: who asks twice at once finds what the other one left */
async function emptySome(erased: Erased, tables: readonly string[]): Promise<boolean> {
  const { database, projectId, failpoints } = erased;
  const filled = await findFilled(erased, tables);
  for (const table of filled) {
    const bindings = [table, table, projectId, rowsPerRound];
    const sql = 'delete from ?? where ctid = any(array(select ctid from ?? where project_id = ? limit ?))';
    await guard(() => byKey(database, (transaction) => transaction.raw(sql, bindings)));
    await failpoints.hit('st.after_erase_step');
  }
  return filled.length > 0;
}

/** Those of the tables that have a row of the project: one jump into each key. */
async function findFilled({ database, projectId }: Erased, tables: readonly string[]): Promise<string[]> {
  const look = 'select ?::text as name where exists (select 1 from ?? where project_id = ?)';
  const { rows } = await byKey(database, (transaction) =>
    transaction.raw<{ rows: { name: string }[] }>(
      tables.map(() => look).join(' union all '),
      tables.flatMap((table) => [table, table, projectId]),
    ),
  );
  return rows.map(({ name }) => name);
}

/**
 * Of a project that has most of a table the planner would read the table from its start, past everything that is gone already: each
 * round longer than the one before. The key passes over what is gone.
 */
async function byKey<T>(database: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(
      `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    );
    return await work(transaction);
  });
}
