import type { OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import type { WriteMode } from './write-rows';

/** A wish to write the failed records of an ended operation once more. */
export interface Replay {
  readonly projectId: string;
  readonly operationId: string;
  /** Id of the operation that is opened, if one is: uuid v7. */
  readonly newId: string;
  /** Also records of unknown outcome, which the provider may have. */
  readonly force: boolean;
  /** The manifest in force still declares the object for writing. */
  readonly isWritable: boolean;
  readonly traceparent: string;
}

/** `not-writable`: see `Replay`; `uninstalled`, `moved`: the installation is gone, or is connected to another account. */
export type ReplayRefusal =
  | 'missing'
  | 'synchronous'
  | 'in-progress'
  | 'nothing-to-replay'
  | 'plan-deleted'
  | 'not-writable'
  | 'uninstalled'
  | 'moved';

/** The operation that writes the records now, whether this replay opened it or an earlier one. */
export type Replaying = { readonly operationId: string; readonly isNew: boolean } | { readonly refusal: ReplayRefusal };

interface FailedRow {
  readonly record_index: number;
  readonly lane_id: string;
  readonly replayed_by: string | null;
  readonly has_plan: boolean;
}

/**
 * Opens an operation of the records that failed, each with the plan it was accepted with. Order: 1. the old operation's row, so that
 * of two replays one waits and then finds the work done. 2. Its failed records: those that a replay has taken are left out; when
 * that leaves none, the newest operation made of them is the answer. 3. The connection in force, which must open the same account:
 * record ids and order keys belong to it. 4. Operation, calls and records, and `replayed_by` on the old ones.
 * Records that shared a call share one again: the call kept the provider's limits, headers and `allOrNone`.
 */
export async function replayRecords(database: Knex, replay: Replay, timeScale: number): Promise<Replaying> {
  return await database.transaction(async (transaction): Promise<Replaying> => {
    const operation = await lockOperation(transaction, replay);
    if (operation === undefined) return { refusal: 'missing' };
    if (operation.mode === 'synchronous') return { refusal: 'synchronous' };
    if (operation.state !== 'succeeded' && operation.state !== 'failed') return { refusal: 'in-progress' };
    const failed = await readFailed(transaction, replay);
    const fresh = failed.filter((row) => row.replayed_by === null);
    if (fresh.length === 0) return earlierReplay(failed);
    const connection = await findConnection(transaction, replay.projectId, operation.installation_id);
    const refusal = whyNot(replay, fresh, connection?.lane_id);
    if (refusal !== undefined || connection === undefined) return { refusal: refusal ?? 'uninstalled' };
    const indexes = fresh.map((row) => row.record_index);
    await insertReplay(transaction, { ...replay, indexes, connectionId: connection.id, timeScale });
    return { operationId: replay.newId, isNew: true };
  });
}

async function lockOperation(transaction: Knex.Transaction, { projectId, operationId }: Replay) {
  type Row = { state: OperationState; mode: WriteMode; installation_id: string };
  return await transaction('operations')
    .where({ project_id: projectId, id: operationId })
    .forUpdate()
    .first<Row | undefined>('state', 'mode', 'installation_id');
}

/** Locked, so that a plan that is there is not purged before it is copied. */
async function readFailed(transaction: Knex.Transaction, replay: Replay): Promise<FailedRow[]> {
  const outcomes = replay.force ? ['failed', 'unknown'] : ['failed'];
  const result = await transaction.raw<{ rows: FailedRow[] }>(
    `select record_index, lane_id, replayed_by, plan is not null as has_plan from records
     where project_id = ? and operation_id = ? and outcome = any(?::text[]) order by record_index for update`,
    [replay.projectId, replay.operationId, outcomes] as unknown as Knex.Value[],
  );
  return result.rows;
}

function earlierReplay(failed: readonly FailedRow[]): Replaying {
  // uuid v7: the greatest is the newest.
  const newest = failed
    .flatMap((row) => row.replayed_by ?? [])
    .toSorted()
    .at(-1);
  return newest === undefined ? { refusal: 'nothing-to-replay' } : { operationId: newest, isNew: false };
}

/** Plain reads, as an accept makes them: what is deleted at this moment is ended by the executor that claims it. */
async function findConnection(transaction: Knex.Transaction, projectId: string, installationId: string) {
  return await transaction('installations as n')
    .join('connections as k', (on) => on.on('k.project_id', 'n.project_id').andOn('k.id', 'n.connection_id'))
    .where({ 'n.project_id': projectId, 'n.id': installationId })
    .first<{ id: string; lane_id: string } | undefined>('k.id', 'k.lane_id');
}

function whyNot(replay: Replay, fresh: readonly FailedRow[], laneId: string | undefined): ReplayRefusal | undefined {
  if (laneId === undefined) return 'uninstalled';
  if (!replay.isWritable) return 'not-writable';
  if (fresh.some((row) => !row.has_plan)) return 'plan-deleted';
  return fresh.some((row) => row.lane_id !== laneId) ? 'moved' : undefined;
}

interface Insertion extends Replay {
  readonly indexes: readonly number[];
  readonly connectionId: string;
  readonly timeScale: number;
}

async function insertReplay(transaction: Knex.Transaction, given: Insertion): Promise<void> {
  const { projectId, operationId, newId, indexes, connectionId, traceparent, timeScale } = given;
  await transaction.raw(
    `with drawn as materialized (select nextval('accept_seq') as accept_seq),
     given as materialized (
       select r.*, coalesce(k.all_or_none, false) as all_or_none,
              row_number() over (order by r.record_index) - 1 as new_index,
              dense_rank() over (order by coalesce(r.call_number, -1 - r.record_index)) as new_call
       from records r
       left join calls k on k.project_id = r.project_id and k.operation_id = r.operation_id and k.number = r.call_number
       where r.project_id = :projectId and r.operation_id = :operationId and r.record_index = any(:indexes::integer[])),
     opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
                        object_name, type, mode, state, records_total, calls_open, traceparent)
       select o.project_id, :newId, o.integration_id, o.installation_id, f.config_id, :connectionId, f.lane_id,
              o.object_name, o.type, 'asynchronous', 'queued', (select count(*) from given),
              (select max(new_call) from given), :traceparent
       from operations o cross join (select * from given where new_index = 0) f
       where o.project_id = :projectId and o.id = :operationId),
     called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
                        all_or_none, traceparent, plan_kb)
       select project_id, :newId, new_call, lane_id, :connectionId, object_name, type, 'asynchronous', 'ready',
              all_or_none, :traceparent, ceil(sum(octet_length(plan)) / 1000.0)
       from given group by project_id, new_call, lane_id, object_name, type, all_or_none),
     stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
                        connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms)
       select project_id, :newId, new_index, new_call, ref, d.accept_seq, lane_id, :connectionId, object_name, type, order_key,
              :traceparent, config_id, headers_key, plan,
              now() + make_interval(secs => retry_ms / 1000.0 / cast(:timeScale as float8)), retry_ms
       from given cross join drawn d)
     update records r set replayed_by = :newId from given g
     where r.project_id = g.project_id and r.operation_id = g.operation_id and r.record_index = g.record_index`,
    { projectId, operationId, newId, indexes, connectionId, traceparent, timeScale } as never,
  );
}
