import type { Knex } from 'knex';
import { guard } from '../guard';
import { deleteInstallation } from '../installations/delete-installation';
import { deleteOperationsSql } from '../operations/delete-operations';
import type { StoreFailpoints } from '../failpoints';

/**
 * How far the erasure of a deleted project is. `withdrawing`: something of it can still act or is a secret. `erasing`: only its history is
 * left, and some of that was deleted. `waiting`: for what is being sent, or for requests that may still be under way. `done`: nothing is left.
 */
export type Erasure = 'withdrawing' | 'erasing' | 'waiting' | 'done';

/** Operations that one statement deletes, with at most 100 records each. */
const operationsPerStep = 100;
const stepsPerPass = 20;
const installationsPerPass = 20;
/**
 * After it no request that began before the deletion writes any more: keys are cached for a second, a request takes a minute at most.
 * What such a request wrote is erased by a later pass.
 */
const quietMinutes = 10;

/** First, so that nothing is made for them that would be deleted next. Their messages go later: however many there are, they cannot act. */
const receivers = ['webhook_endpoints'] as const;
const messages = ['webhook_messages', 'webhook_attempts'] as const;
/** Credentials and their owners. After the installations: their deletion looks up lanes by the group's connections. */
const owned = [
  'api_keys',
  'jwt_keys',
  'oauth_states',
  'connect_sessions',
  'uploads',
  'connections',
  'provider_apps',
  'integrations',
  'groups',
  'consumers',
] as const;
/**
 * What an operation that has not ended may still need. A claim locks the lane and reads config and revision, and a notification names the group of a
 * deleted installation.
 */
const last = [
  'idempotency_keys',
  'flushes',
  'open_batches',
  'closed_batches',
  'cancels',
  'quarantine',
  'adoptions',
  'attempts',
  'outcomes',
  'order_queue',
  'barriers',
  'records',
  'calls',
  'lanes',
  'minutes',
  'backlog_minutes',
  'deleted_installations',
  'unhealthy_installations',
  'configs',
  'config_contents',
  'revisions',
] as const;

/**
 * One pass of erasing a deleted project. Any number of processes may make passes at once, and each continues from what is there, so a
 * process that dies leaves nothing to repair. Installations end as when they are deleted alone: what waits fails, what is being sent
 * finishes and is not tried again. An operation is erased when it has ended.
 */
export async function eraseProject(erased: Erased): Promise<Erasure> {
  const { database, projectId } = erased;
  if (await emptySome(erased, receivers)) return 'withdrawing';
  if (await removeInstallations(erased)) return 'withdrawing';
  if (await emptySome(erased, owned)) return 'withdrawing';
  if (await emptySome(erased, messages)) return 'erasing';
  if (await eraseEnded(erased)) return 'erasing';
  if ((await findFilled(erased, ['operations'])).length > 0) return 'waiting';
  if (!(await isQuiet(database, projectId))) return 'waiting';
  if (await emptySome(erased, last)) return 'erasing';
  await database('project_deletions').where({ project_id: projectId }).delete();
  return 'done';
}

/** Read from the table itself, not from the list of installations: that lacks one whose connection is gone. */
async function removeInstallations({ database, projectId, failpoints }: Erased): Promise<boolean> {
  const rows = await database('installations')
    .where({ project_id: projectId })
    .orderBy('id')
    .limit(installationsPerPass)
    .select<{ id: string; integration_id: string }[]>('id', 'integration_id');
  for (const { id: installationId, integration_id: integrationId } of rows)
    await deleteInstallation(database, { projectId, integrationId, installationId }, failpoints);
  return rows.length > 0;
}

/** Each step continues where the one before ended: the index entries of what was deleted stay until a vacuum. */
async function eraseEnded({ database, projectId, failpoints }: Erased): Promise<boolean> {
  let after = '';
  for (let step = 0; step < stepsPerPass; step += 1) {
    const lastErased = await eraseStep(database, projectId, after);
    if (lastErased === null) return step > 0;
    after = lastErased;
    await failpoints.hit('st.after_erase_step');
  }
  return true;
}

/**
 * Operations with all that is stored of them. One that is locked is left to the next pass.
 * @returns the id of the last one; null when none was left
 */
async function eraseStep(database: Knex, projectId: string, after: string): Promise<string | null> {
  const { rows } = await guard(() =>
    database.raw<{ rows: [{ last_erased: string | null }] }>(
      `${deleteOperationsSql(`
         select project_id, id from operations where project_id = :projectId and id > :after and state in ('succeeded', 'failed')
         order by id limit :limit for update skip locked`)}
       select max(id) as last_erased from gone`,
      { projectId, after, limit: operationsPerStep },
    ),
  );
  return rows[0].last_erased;
}

/** Whether no request of before the deletion can write any more; also when another process has finished. */
async function isQuiet(database: Knex, projectId: string): Promise<boolean> {
  const { rows } = await database.raw<{ rows: { is_quiet: boolean }[] }>(
    `select requested_at < now() - make_interval(mins => ?) as is_quiet from project_deletions where project_id = ?`,
    [quietMinutes, projectId],
  );
  return rows[0]?.is_quiet ?? true;
}

export interface Erased {
  readonly database: Knex;
  readonly projectId: string;
  readonly failpoints: StoreFailpoints;
}

/** Rows that one statement deletes: the statement stays far from its limit of 5 s. */
const rowsPerPass = 1_000;

/** @returns whether one of the tables had a row, so that there may be more: of two callers at once one finds what the other left */
async function emptySome(erased: Erased, tables: readonly string[]): Promise<boolean> {
  const { database, projectId, failpoints } = erased;
  const filled = await findFilled(erased, tables);
  for (const table of filled) {
    const bindings = [table, table, projectId, rowsPerPass];
    const sql = 'delete from ?? where ctid = any(array(select ctid from ?? where project_id = ? limit ?))';
    await guard(() => byKey(database, (transaction) => transaction.raw(sql, bindings)));
    await failpoints.hit('st.after_erase_step');
  }
  return filled.length > 0;
}

/** Those of the tables that have a row of the project: one jump into each key. */
async function findFilled({ database, projectId }: Erased, tables: readonly string[]): Promise<string[]> {
  const exists = 'select ?::text as name where exists (select 1 from ?? where project_id = ?)';
  const { rows } = await byKey(database, (transaction) =>
    transaction.raw<{ rows: { name: string }[] }>(
      tables.map(() => exists).join(' union all '),
      tables.flatMap((table) => [table, table, projectId]),
    ),
  );
  return rows.map(({ name }) => name);
}

/**
 * For a project that has most of a table, the planner would read the table from its start, past the rows that are deleted already. Each pass would
 * take longer than the one before. The key skips what is deleted.
 */
async function byKey<T>(database: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(
      `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    );
    return await work(transaction);
  });
}
