import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, isInCall, toCallKey } from './write-rows';
import type { Page, Step } from './find-ready-lanes';
import type { LaneKey } from './lanes';
import { type Column, column, hiddenFromPlanner, preparedRowsSql, rowBindings } from '../row-source';
import type { ReleasedCall, Settlement } from './settlement';

/**
 * Writes to one provider record take effect in the order of their acceptance. Each has a row of `order_queue` under what they have in common, the order key, from its
 * acceptance to its end. `barriers` has until when the provider may still apply one that it did not answer. Creates have neither. Whoever decides by them, or
 * ends a record, holds the locks of its order keys.
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

const keysSql = '(select distinct hashtextextended(key, 0) & ? as hash from unnest(?::text[]) as key order by 1) k';
/** With it, as `planByKeys`: who holds order keys finds every row by a key. */
const planningSql = "set_config('enable_seqscan', 'off', true)";
const lockSql = `select pg_advisory_xact_lock(k.hash), ${planningSql} from ${keysSql}`;
/** The scalar subquery is evaluated before the first key is locked. */
const lockDeleteSql = `
  with held as materialized (select 1 from installations where project_id = ? and id = ? for share)
  select pg_advisory_xact_lock(k.hash), ${planningSql} from ${keysSql} where (select count(*) from held) >= 0`;

function lockBindings(orderKeys: readonly string[]) {
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
 * SQL: what has ended of `found`, records with their order keys, leaves the queue. Each row is looked up by its key and deleted where it stands: a join could begin
 * with the whole queue, which was empty when the statement was planned. Nothing else moves a row of a locked order key.
 */
export const dequeueSql = (found: string): string => {
  const ended = `${found} e where e.is_ended and e.order_key is not null`;
  return `
    delete from order_queue q
    where q.ctid = any(array(select (
        select k.ctid from order_queue k
        where k.project_id = e.project_id and k.order_key = e.order_key and k.accept_seq = e.accept_seq and k.record_index = e.record_index)
      from ${ended}))
      and (q.project_id = any(array(select e.project_id from ${ended}))) is true`;
};

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

/**
 * Waiting calls whose blocked record is now the first unfinished write of its order key. Key by key: given all keys at once, Postgres before 17 may read the whole
 * queue of the project.
 */
export async function releaseWaiting(
  transaction: Knex.Transaction,
  held: readonly Pick<Settlement, 'projectId' | 'orderKeys'>[],
): Promise<ReleasedCall[]> {
  const keys = held.flatMap(({ projectId, orderKeys }) => orderKeys.map((orderKey) => ({ projectId, orderKey })));
  if (keys.length === 0) return [];
  const releasing = transaction.raw<{ rows: ReleasedRow[] }>(
    `update calls c set state = 'ready', not_before = c.created_at
     from (select distinct k.project_id, first.operation_id, first.record_index
           from ${preparedRowsSql('k', orderKeyColumns)} cross join lateral (
             select q.operation_id, q.record_index from order_queue q
             where q.project_id = k.project_id and q.order_key = k.order_key order by q.accept_seq, q.record_index limit 1) first) n
     join operations o on o.project_id = n.project_id and o.id = n.operation_id
     where c.project_id = n.project_id and c.operation_id = n.operation_id and ${isInCall('n', 'c')}
       and c.state = ${hiddenFromPlanner('waiting')}
     returning c.project_id, c.operation_id, c.number, c.lane_id, c.object_name, c.type, c.traceparent, o.installation_id`,
    rowBindings(orderKeyColumns, keys) as Knex.Value[],
  );
  const result = await releasing.options({ name: 'release-waiting' });
  return result.rows.map((row) => ({
    ...toCallKey(row),
    laneId: row.lane_id,
    installationId: row.installation_id,
    objectName: row.object_name,
    type: row.type,
    traceparent: row.traceparent,
  }));
}

type ReleasedRow = CallKeyRow & {
  readonly lane_id: string;
  readonly installation_id: string;
  readonly object_name: string;
  readonly type: ReleasedCall['type'];
  readonly traceparent: string;
};

/** A waiting call, after which the next step of the repair continues. */
export type WaitingCall = CallKey & LaneKey;

interface WaitingRow {
  readonly project_id: string;
  readonly lane_id: string;
  readonly operation_id: string;
  readonly number: number;
  readonly is_free: boolean;
}

const beginning: WaitingCall = { projectId: '', laneId: '', operationId: '', number: 0 };

/**
 * Removes barriers that have passed, and makes calls ready that nothing blocks any more, among the next `limit` waiting ones. Repairs
 * lost releases: a settlement releases what waits behind it, so this finds nothing as a rule.
 */
export async function repairOrder(database: Knex, page: Page<WaitingCall>): Promise<Step<LaneKey, WaitingCall>> {
  await removeBarriers(database, page.limit);
  const { projectId, laneId, operationId, number } = page.after ?? beginning;
  const result = await database.raw<{ rows: WaitingRow[] }>(
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
  const calls = result.rows.map(toWaitingCall);
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

function toWaitingCall(row: WaitingRow): WaitingCall {
  return { projectId: row.project_id, laneId: row.lane_id, operationId: row.operation_id, number: row.number };
}
