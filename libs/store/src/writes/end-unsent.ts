import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, callKeyColumns, isInCall, toCallKey } from './write-rows';
import { closeInstallation } from './close-batch';
import { endCounted } from './end-operations';
import { leaveQueueSql, lockOperations, lockOrderKeys } from './order-queue';
import { rowSource } from '../row-source';
import type { RecordError } from './settlement';

/** What must not be sent any more, and the error of its records. */
export interface UnsentWork {
  readonly projectId: string;
  readonly installationId: string;
  /** The lanes its calls may wait in. The caller has locked them: no call of them is claimed meanwhile. */
  readonly laneIds: readonly string[];
  readonly error: RecordError;
  /** Calls at most, and batches. */
  readonly limit: number;
}

interface Unsent {
  readonly calls: readonly CallKey[];
  /** Auto-batches that are closed and not sealed. */
  readonly batchIds: readonly string[];
}

/**
 * Ends the calls of an installation that wait, and its auto-batches that are not sealed. What runs or is in doubt stays with its lease.
 * Order: 1. Close its batches and find both. 2. Order keys, then the rows of closed batches: a batch whose row is gone is being sealed. 3. Operation
 * rows, then call rows, each in id order. 4. End what is still unsent, and release what waited behind it. 5. End operations without an open call.
 * @returns how many calls and batches were found: at the limit there may be more
 */
export async function endUnsent(transaction: Knex.Transaction, work: UnsentWork): Promise<number> {
  await closeInstallation(transaction, work);
  const found = await findUnsent(transaction, work);
  const count = found.calls.length + found.batchIds.length;
  if (count === 0) return 0;
  const { projectId } = work;
  const orderKeys = await readOrderKeys(transaction, projectId, found);
  await lockOrderKeys(transaction, orderKeys);
  const batchIds = await takeBatches(transaction, projectId, found.batchIds);
  const batches = batchIds.map((operationId) => ({ projectId, operationId }));
  await lockOperations(transaction, [...batches, ...found.calls]);
  const calls = await lockCalls(transaction, found.calls);
  const idle = await endRecords(transaction, work, { calls, batchIds });
  await endCounted(transaction, idle);
  return count;
}

async function findUnsent(transaction: Knex.Transaction, work: UnsentWork): Promise<Unsent> {
  const { projectId, installationId, laneIds, limit } = work;
  // Each state alone, because each has its own partial index.
  const inState = (state: 'ready' | 'waiting') =>
    `select c.project_id, c.operation_id, c.number from calls c
     join operations o on o.project_id = c.project_id and o.id = c.operation_id
     where c.project_id = :projectId and c.lane_id = any(:lanes) and c.state = '${state}'
       and o.installation_id = :installationId`;
  const names = { projectId, installationId, lanes: [...laneIds], limit };
  const calls = await transaction.raw<{ rows: CallKeyRow[] }>(
    `select * from (${inState('ready')} union all ${inState('waiting')}) unsent limit :limit`,
    names,
  );
  const batches = await transaction.raw<{ rows: { id: string }[] }>(
    `select o.id from closed_batches b join operations o on o.project_id = b.project_id and o.id = b.operation_id
     where b.project_id = :projectId and o.installation_id = :installationId limit :limit`,
    names,
  );
  return { calls: calls.rows.map(toCallKey), batchIds: batches.rows.map(({ id }) => id) };
}

async function readOrderKeys(transaction: Knex.Transaction, projectId: string, unsent: Unsent): Promise<string[]> {
  const calls = rowSource('i', callKeyColumns, unsent.calls);
  const result = await transaction.raw<{ rows: { order_key: string }[] }>(
    `select r.order_key from ${calls.sql}
     join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     where r.order_key is not null
     union
     select order_key from records where project_id = ? and operation_id = any(?::text[]) and order_key is not null`,
    [...calls.bindings, projectId, [...unsent.batchIds]] as Knex.Value[],
  );
  return result.rows.map((row) => row.order_key);
}

/** Whoever deletes the row of a closed batch seals it or ends it. */
async function takeBatches(
  transaction: Knex.Transaction,
  projectId: string,
  batchIds: readonly string[],
): Promise<string[]> {
  const { rows } = await transaction.raw<{ rows: { operation_id: string }[] }>(
    `delete from closed_batches where project_id = ? and operation_id = any(?::text[]) returning operation_id`,
    [projectId, [...batchIds]] as unknown as Knex.Value[],
  );
  return rows.map(({ operation_id: id }) => id);
}

/** A statement begun after the operations' locks: a late reply may have put a call into doubt meanwhile. */
async function lockCalls(transaction: Knex.Transaction, calls: readonly CallKey[]): Promise<CallKey[]> {
  const input = rowSource('i', callKeyColumns, calls);
  const result = await transaction.raw<{ rows: CallKeyRow[] }>(
    `select c.project_id, c.operation_id, c.number from calls c
     where (c.project_id, c.operation_id, c.number) in (select project_id, operation_id, number from ${input.sql})
       and c.state in ('ready', 'waiting')
     order by c.project_id, c.operation_id, c.number for update`,
    input.bindings as Knex.Value[],
  );
  return result.rows.map(toCallKey);
}

const endedColumns =
  'r.project_id, r.operation_id, r.record_index, r.send_state, r.is_unanswered, r.order_key, r.accept_seq, true as is_ended';

/** What may have been written by an earlier try is "outcome unknown", never "failed". Returns the operations without an open call. */
async function endRecords(
  transaction: Knex.Transaction,
  { projectId, error }: UnsentWork,
  unsent: Unsent,
): Promise<{ project_id: string; operation_id: string }[]> {
  const calls = rowSource('i', callKeyColumns, unsent.calls);
  const result = await transaction.raw<{ rows: { project_id: string; operation_id: string; calls_open: number }[] }>(
    `with given as materialized (select * from ${calls.sql}),
     batches as materialized (select id from operations where project_id = ? and id = any(?::text[]) and state = 'accumulating'),
     planned as (
       select ${endedColumns}, c.number, c.fence from given i
       join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}),
     gathered as (
       select ${endedColumns}, 0 as number, 0 as fence from batches b
       join records r on r.project_id = ? and r.operation_id = b.id),
     ended as materialized (select * from planned union all select * from gathered),
     stored as (
       insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, error_classes, error_texts)
       select project_id, operation_id, number, fence, outcome, array_agg(record_index order by record_index),
              array_agg(?::text), array_agg(case outcome when 'failed' then '' else 'Outcome unknown: ' end || ?)
       from (select *, case send_state when 'none' then 'failed' else 'unknown' end as outcome from ended) e group by 1, 2, 3, 4, 5),
     answered as (update records r set is_unanswered = false from ended e
       where r.project_id = e.project_id and r.operation_id = e.operation_id and r.record_index = e.record_index and e.is_unanswered),
     released as (${leaveQueueSql('ended')}),
     closed as (update calls c set state = 'done', fence = c.fence + 1, members = '{}' from given i
       where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       returning c.operation_id),
     counts as (
       select k.id, (select count(*)::integer from closed where operation_id = k.id) as calls,
              (select count(*)::integer from planned where operation_id = k.id) as planned,
              (select count(*)::integer from gathered where operation_id = k.id) as gathered
       from (select distinct operation_id as id from given union select id from batches) k)
     update operations o set state = 'queued', calls_open = o.calls_open - k.calls, records_total = o.records_total + k.gathered,
            records_failed = o.records_failed + k.planned + k.gathered, updated_at = now()
     from counts k where o.project_id = ? and o.id = k.id and (select count(*) from released) >= 0
     returning o.project_id, o.id as operation_id, o.calls_open`,
    [...calls.bindings, projectId, [...unsent.batchIds], projectId, error.class, error.text, projectId] as Knex.Value[],
  );
  return result.rows.filter((row) => row.calls_open === 0);
}
