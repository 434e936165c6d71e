import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { type OperationKey, callKeyMembers, isInCall, operationKeyColumns } from './write-rows';
import type { Page, Step } from './find-ready-lanes';
import type { LaneKey } from './lanes';
import { type Column, column, hiddenFromPlanner, preparedRows } from '../row-source';
import { type StoredRow, plain, table } from '../table';

/**
 * Writes to one provider record take effect in the order of their acceptance. They share an order key. Each has a row of `order_queue` under it, from its
 * acceptance to its end. `barriers` stores until when the provider may still apply a write that it did not answer. Creates have neither. Deciding by
 * them, and ending a record, needs the locks of its order keys.
 */

/** SQL: the rows of what was stored, by a part of the statement that returns them. */
export const enqueueSql = (stored: string): string => `
  insert into order_queue (project_id, order_key, accept_seq, record_index, operation_id)
  select project_id, order_key, accept_seq, record_index, operation_id from ${stored} where order_key is not null`;
/** What `enqueueSql` needs of `records`. */
export const enqueuedColumns = 'project_id, operation_id, record_index, accept_seq, order_key';

/**
 * Keys share this many locks (a power of two). A transaction may hold thousands of keys, and the server's lock table has 6,400
 * slots by default. Two keys in one bucket only wait for each other's transaction.
 */
const buckets = 512;

/**
 * Takes transaction locks on order keys, sorted, so that two takers never wait for each other.
 * Lock order everywhere: lanes, order keys, adoptions, operations, calls.
 */
export async function lockOrderKeys(transaction: Knex.Transaction, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await transaction.raw(lockSql, lockBindings(orderKeys)).options({ name: 'lock-order-keys' });
}

/** Locks the rows of operations in id order, so that two takers never wait for each other. */
export async function lockOperations(
  transaction: Knex.Transaction,
  operations: readonly OperationKey[],
): Promise<void> {
  const input = preparedRows('i', operationKeyColumns, operations);
  const locking = transaction.raw(
    `select 1 from operations o where (o.project_id, o.id) in (select project_id, operation_id from ${input.sql})
     order by o.project_id, o.id for update`,
    input.bindings as Knex.Value[],
  );
  await locking.options({ name: 'lock-operations' });
}

/** SQL: the locks of order keys, as rows `k`. A statement that takes them itself must read what it decides by with a later snapshot. */
export const orderKeysSql =
  '(select distinct hashtextextended(key, 0) & ? as hash from unnest(?::text[]) as key order by 1) k';
/** With it, as `planByKeys`: who holds order keys finds every row by a key. */
const planningSql = "set_config('enable_seqscan', 'off', true)";
export const lockKeySql = 'pg_advisory_xact_lock(k.hash)';
const lockSql = `select ${lockKeySql}, ${planningSql} from ${orderKeysSql}`;
/** The scalar subquery is evaluated before the first key is locked. */
const lockDeleteSql = `
  with held as materialized (select 1 from installations where project_id = ? and id = ? for share)
  select ${lockKeySql}, ${planningSql} from ${orderKeysSql} where (select count(*) from held) >= 0`;

export function lockBindings(orderKeys: readonly string[]) {
  return [buckets - 1, [...orderKeys]] as unknown as Knex.Value[];
}

/**
 * The locks of a synchronous write to known records, in one statement. @param installation of a delete: it is locked first, as a deletion of the
 * installation does. Only deletes pay for it: other writes pin what they were planned on
 */
export async function lockForSynchronous(
  transaction: Knex.Transaction,
  orderKeys: readonly string[],
  installation: { readonly projectId: string; readonly id: string } | undefined,
): Promise<void> {
  if (installation === undefined) return await lockOrderKeys(transaction, orderKeys);
  const bindings = [installation.projectId, installation.id, ...lockBindings(orderKeys)];
  await transaction.raw(lockDeleteSql, bindings);
}

/**
 * SQL: what has ended of `found`, records with their order keys, leaves the queue. Returns the calls that waited behind it and may go now, as
 * rows of `releasedCalls`. The function reads with a snapshot of its own, so a statement that has locked the keys itself releases what waited for them before.
 */
export const leaveQueueSql = (found: string): string => `
  select released.* from (
    select array_agg(e.project_id) as projects, array_agg(e.order_key) as keys, array_agg(e.accept_seq) as seqs, array_agg(e.record_index) as indexes
    from ${found} e where e.is_ended and e.order_key is not null) ended
  cross join lateral leave_queue(ended.projects, ended.keys, ended.seqs, ended.indexes) released`;

/** SQL: the provider may apply what of `found` has `barrier_ms`, scaled milliseconds, until they are over. */
export const raiseBarriersSql = (found: string): string => `
  insert into barriers (project_id, order_key, operation_id, record_index, until)
  select project_id, order_key, operation_id, record_index, now() + make_interval(secs => barrier_ms / 1000)
  from ${found} where order_key is not null and barrier_ms is not null
  on conflict (project_id, order_key, operation_id, record_index) do update set until = greatest(barriers.until, excluded.until)`;

/** A record of a provider, by what its unfinished writes have in common. */
export interface OrderKey {
  readonly projectId: string;
  readonly orderKey: string;
}

export const orderKeyColumns: Column<OrderKey>[] = [
  column('project_id', 'text', (key) => key.projectId),
  column('order_key', 'text', (key) => key.orderKey),
];

/** A call that waited behind a record and may go now, with what an announcement of it needs. */
export const releasedCalls = table({
  ...callKeyMembers,
  laneId: plain('lane_id'),
  installationId: plain('installation_id'),
  objectName: plain('object_name'),
  type: plain<WriteType>('type'),
  traceparent: plain('traceparent'),
});

/** A waiting call, after which the next step of the repair continues. */
const waitingCalls = table({ ...callKeyMembers, laneId: plain('lane_id') });

export type WaitingCall = ReturnType<typeof waitingCalls.read>;

const beginning: WaitingCall = { projectId: '', laneId: '', operationId: '', number: 0 };

/**
 * Removes barriers that have passed, and makes calls ready that nothing blocks any more, among the next `limit` waiting ones. Repairs
 * lost releases: a settlement releases what waits behind it, so this finds nothing as a rule.
 */
export async function repairOrder(database: Knex, page: Page<WaitingCall>): Promise<Step<LaneKey, WaitingCall>> {
  await removeBarriers(database, page.limit);
  const { projectId, laneId, operationId, number } = page.after ?? beginning;
  const result = await database.raw<{ rows: StoredRow[] }>(
    `with examined as (
       select c.project_id, c.lane_id, c.operation_id, c.number,
              (select 1 from records r
               where r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
                 and (select 1 from order_queue e where e.project_id = r.project_id and e.order_key = r.order_key
                      and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index) limit 1) is not null limit 1) is null as is_free
       from (select project_id, lane_id, operation_id, number, members from calls
             where state = 'waiting' and (project_id, lane_id, operation_id, number) > (?, ?, ?, ?::integer)
             order by project_id, lane_id, operation_id, number limit ?) c),
     freed as (update calls c set state = 'ready', not_before = c.created_at from examined w
       where w.is_free and c.project_id = w.project_id and c.operation_id = w.operation_id and c.number = w.number
         and c.state = ${hiddenFromPlanner('waiting')})
     select * from examined order by project_id, lane_id, operation_id, number`,
    [projectId, laneId, operationId, number, page.limit],
  );
  const calls = result.rows.map(waitingCalls.read);
  const last = calls.length < page.limit ? undefined : calls.at(-1);
  return { found: calls.filter((_, at) => result.rows[at]?.is_free), ...(last && { next: last }) };
}

async function removeBarriers(database: Knex, limit: number): Promise<void> {
  await database.raw(
    `delete from barriers b
     using (select project_id, order_key, operation_id, record_index from barriers where until <= now()
            order by until limit ? for update skip locked) p
     where b.project_id = p.project_id and b.order_key = p.order_key and b.operation_id = p.operation_id and b.record_index = p.record_index`,
    [limit],
  );
}
