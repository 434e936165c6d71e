import { limits, type OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import { enqueueSql, enqueuedColumns } from './order-queue';
import { insertReplaySql, insertRecordsSql, type OperationMode } from './write-rows';

/** A request to write the failed records of an ended operation once more. */
export interface Replay {
  readonly projectId: string;
  readonly operationId: string;
  /** Id of the operation that is opened, if one is: uuid v7. */
  readonly newId: string;
  /** Also records of unknown outcome, which the provider may have. */
  readonly force: boolean;
  /** The manifest in force still declares the object for writing. */
  readonly isWritable: boolean;
  /** Whether records may be written again that were quarantined because they crashed executors. */
  readonly mayReplayQuarantined: boolean;
  readonly traceparent: string;
}

/** `not-writable`, `quarantined`: see `Replay`; `uninstalled`, `moved`: the installation is gone, or is connected to another account. */
export type ReplayRefusal =
  | 'missing'
  | 'synchronous'
  | 'in-progress'
  | 'nothing-to-replay'
  | 'plan-deleted'
  | 'not-writable'
  | 'quarantined'
  | 'uninstalled'
  | 'moved';

/** The operation that writes the records now, whether this replay opened it or an earlier one. */
export type Replaying = { readonly operationId: string; readonly isNew: boolean } | { readonly refusal: ReplayRefusal };

interface FailedRow {
  readonly record_index: number;
  readonly lane_id: string;
  readonly replayed_by: string | null;
  /** Null: it was purged. */
  readonly plan_bytes: number | null;
  readonly error_class: string | null;
  /** Null: it never was in one. */
  readonly call_number: number | null;
  readonly all_or_none: boolean;
}

/**
 * Opens an operation of the records that failed, each with the plan it was accepted with. A repetition answers the same operation. Order: 1. the old operation's row, so that
 * of two replays one waits and then finds the work done. 2. Its failed records: those that a replay has taken are left out; when
 * that leaves none, the newest operation made of them is the answer. 3. The connection in force, which must open the same account:
 * record ids and order keys belong to it. 4. Operation, calls and records, and `replayed_by` on the old ones.
 * Records that shared a call share one again, as far as its bytes allow: the call kept the provider's limits, headers and `allOrNone`.
 */
export async function replayRecords(database: Knex, replay: Replay): Promise<Replaying> {
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
    await insertReplay(transaction, { ...replay, fresh, connectionId: connection.id, laneId: connection.lane_id });
    return { operationId: replay.newId, isNew: true };
  });
}

async function lockOperation(transaction: Knex.Transaction, { projectId, operationId }: Replay) {
  type Row = { state: OperationState; mode: OperationMode; installation_id: string };
  return await transaction('operations')
    .where({ project_id: projectId, id: operationId })
    .forUpdate()
    .first<Row | undefined>('state', 'mode', 'installation_id');
}

/** Locked, so that no plan is purged before it is copied. */
async function readFailed(transaction: Knex.Transaction, replay: Replay): Promise<FailedRow[]> {
  const outcomes = replay.force ? ['failed', 'unknown'] : ['failed'];
  const result = await transaction.raw<{ rows: FailedRow[] }>(
    `select r.record_index, coalesce(k.lane_id, o.lane_id) as lane_id, r.replayed_by, nullif(e.call_number, 0) as call_number, e.error_class,
            octet_length(r.plan) as plan_bytes, coalesce(k.all_or_none, false) as all_or_none
     from record_outcomes e
     join operations o on o.project_id = e.project_id and o.id = e.operation_id
     join records r on r.project_id = e.project_id and r.operation_id = e.operation_id and r.record_index = e.record_index
     left join calls k on k.project_id = e.project_id and k.operation_id = e.operation_id and k.number = e.call_number
     where e.project_id = ? and e.operation_id = ? and e.outcome = any(?::text[]) order by r.record_index for update of r`,
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
  if (fresh.some((row) => row.plan_bytes === null)) return 'plan-deleted';
  if (!replay.mayReplayQuarantined && fresh.some((row) => row.error_class === 'quarantined')) return 'quarantined';
  return fresh.some((row) => row.lane_id !== laneId) ? 'moved' : undefined;
}

interface Insertion extends Replay {
  readonly fresh: readonly FailedRow[];
  readonly connectionId: string;
  readonly laneId: string;
}

/** The number of each record's new call. A call of a version that did not limit bytes is divided here. */
function callsOf(rows: readonly FailedRow[]): number[] {
  const open = new Map<number, { readonly number: number; bytes: number }>();
  let last = 0;
  return rows.map(({ call_number: old, all_or_none: isWhole, plan_bytes: bytes }) => {
    const call = old === null ? undefined : open.get(old);
    const planBytes = bytes ?? 0;
    if (call !== undefined && (isWhole || call.bytes + planBytes <= limits.callPlanBytesMax)) {
      call.bytes += planBytes;
      return call.number;
    }
    last += 1;
    if (old !== null) open.set(old, { number: last, bytes: planBytes });
    return last;
  });
}

async function insertReplay(transaction: Knex.Transaction, given: Insertion): Promise<void> {
  const { projectId, operationId, newId, fresh, connectionId, laneId, traceparent } = given;
  const indexes = fresh.map((row) => row.record_index);
  const callNumbers = callsOf(fresh);
  const areWhole = fresh.map((row) => row.all_or_none);
  await transaction.raw(
    `with drawn as materialized (select nextval('accept_seq') as accept_seq),
     given as materialized (
       select r.*, i.all_or_none, (row_number() over (order by r.record_index) - 1)::integer as new_index, i.new_call
       from unnest(:indexes::integer[], :callNumbers::integer[], :areWhole::boolean[]) as i (record_index, new_call, all_or_none)
       join records r on r.project_id = :projectId and r.operation_id = :operationId and r.record_index = i.record_index),
     opened as (${insertReplaySql}
       select o.project_id, :newId, o.integration_id, o.installation_id, f.config_id, :connectionId, :laneId,
              o.object_name, o.type, 'asynchronous', 'queued', (select count(*) from given),
              (select max(new_call) from given), :traceparent, o.id
       from operations o cross join (select * from given where new_index = 0) f
       where o.project_id = :projectId and o.id = :operationId returning *),
     called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
                        all_or_none, traceparent, members, deadline, plan_kb)
       select o.project_id, o.id, g.new_call, o.lane_id, o.connection_id, o.object_name, o.type, o.mode, 'ready',
              g.all_or_none, :traceparent, array_agg(g.new_index order by g.new_index), now() + make_interval(secs => min(g.retry_ms) / 1000.0),
              ceil(sum(octet_length(g.plan)) / 1000.0)
       from given g cross join opened o group by o.project_id, o.id, g.new_call, o.lane_id, o.connection_id, o.object_name, o.type, o.mode, g.all_or_none),
     stored as (${insertRecordsSql}
       select project_id, :newId, new_index, ref, d.accept_seq, order_key, :traceparent, config_id, headers_key, plan, retry_ms
       from given cross join drawn d returning ${enqueuedColumns}),
     queued as (${enqueueSql('stored')})
     update records r set replayed_by = :newId from given g
     where r.project_id = g.project_id and r.operation_id = g.operation_id and r.record_index = g.record_index`,
    { projectId, operationId, newId, indexes, callNumbers, areWhole, connectionId, laneId, traceparent } as never,
  );
}
