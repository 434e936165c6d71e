import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { type KeyClaim, claimBindings, claimSql } from './idempotency-key';
import { lockOrderKeys } from './lock-order-keys';
import type { NewOperation, NewRecord } from './write-rows';
import { pinColumns, pinsAreCurrent } from './write-source';

/** A synchronous write that this process is about to send. */
export interface SynchronousWrite {
  readonly operation: NewOperation;
  readonly records: readonly (NewRecord & { readonly fingerprint?: string })[];
  readonly owner: string;
  readonly leaseMs: number;
  /** Claimed with the opening; in flight until the settlement. */
  readonly idempotency?: KeyClaim;
}

/**
 * `opened`: the intent is committed under lease and fence 1, the caller sends now. `queuedBehind` names operations whose
 * queued writes to the same record it overtakes. `busy`: a call is executing on the record at this moment. `key-taken`: its
 * idempotency key belongs to another write.
 */
export type Opening =
  | { readonly kind: 'opened'; readonly acceptedAt: Date; readonly queuedBehind: readonly string[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'key-taken' };

/**
 * Opens a synchronous operation with its call already running and its intent recorded, in one transaction.
 * Order: 1. a delete locks its installation: a config that disables it is committed before this reads it, or after the intent.
 * 2. Advisory locks on the order keys, so that no executor starts on these records meanwhile. 3. Refuse if a call
 * is executing on one. 4. Insert operation, call, records and the attempt: committed means sent.
 */
export async function insertSynchronous(database: Knex, write: SynchronousWrite, timeScale: number): Promise<Opening> {
  const orderKeys = write.records.flatMap((record) => record.orderKey ?? []);
  if (orderKeys.length === 0) return await insertRunning(database, write, [], timeScale);
  return await database.transaction(async (transaction) => {
    if (write.operation.type === 'delete') await holdInstallation(transaction, write.operation);
    await lockOrderKeys(transaction, orderKeys);
    const standing = await findStanding(transaction, write.operation.projectId, orderKeys);
    if (standing.some((row) => row.running)) return { kind: 'busy' };
    const queuedBehind = [...new Set(standing.map((row) => row.operation_id))];
    return await insertRunning(transaction, write, queuedBehind, timeScale);
  });
}

/** Before the order keys, as a deletion of the installation does. Only deletes pay for it: other writes pin what they were planned on. */
async function holdInstallation(transaction: Knex.Transaction, { projectId, pins }: NewOperation): Promise<void> {
  await transaction('installations').where({ project_id: projectId, id: pins.installationId }).forShare().select('id');
}

async function findStanding(transaction: Knex.Transaction, projectId: string, orderKeys: readonly string[]) {
  const result = await transaction.raw<{ rows: { operation_id: string; running: boolean }[] }>(
    `select r.operation_id, coalesce(c.state = 'running', false) as running
     from records r
     left join calls c on c.project_id = r.project_id and c.operation_id = r.operation_id and c.number = r.call_number
     where r.project_id = ? and r.order_key = any(?::text[]) and r.outcome = 'pending'
     order by coalesce(c.state = 'running', false) desc, r.accept_seq, r.record_index limit 100`,
    [projectId, orderKeys as string[]],
  );
  return result.rows;
}

async function insertRunning(
  database: Knex,
  write: SynchronousWrite,
  queuedBehind: string[],
  timeScale: number,
): Promise<Opening> {
  const opening = (await insertTogether(database, [write], timeScale))[0] as Opening;
  return opening.kind === 'opened' ? { ...opening, queuedBehind } : opening;
}

/**
 * Opens synchronous creates in one statement: they are unordered, so none waits for another. Committed means sent.
 * @param writes none of their records has an order key, and no two an idempotency key
 * @returns the outcome of each, in their order; never `busy`
 */
export async function insertTogether(
  database: Knex,
  writes: readonly SynchronousWrite[],
  timeScale: number,
): Promise<readonly Opening[]> {
  const { name, sql, bindings } = runningStatement(writes, timeScale);
  const result = await database.raw<{ rows: RunningRow[] }>(sql, bindings as Knex.Value[]).options({ name });
  const rows = new Map(result.rows.map((row) => [row.id, row]));
  return writes.map(({ operation }): Opening => {
    const row = rows.get(operation.id);
    if (row === undefined) return { kind: 'stale' };
    // What was current and could not be opened has lost its key to another write.
    if (row.created_at === null) return { kind: 'key-taken' };
    return { kind: 'opened', acceptedAt: row.created_at, queuedBehind: [] };
  });
}

/** What opens synchronous writes with their calls running. Its text never changes, so it is prepared (`renewPlans`). */
interface RunningStatement {
  readonly name: string;
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** One row per write that is current; without a moment its idempotency key belongs to another write. */
interface RunningRow {
  readonly id: string;
  readonly created_at: Date | null;
}

type PlacedRecord = NewRecord & { readonly position: number; readonly fingerprint?: string };

const operationColumns = [
  ...pinColumns.map(({ name, type, value }) => column<SynchronousWrite>(name, type, (w) => value(w.operation))),
  column<SynchronousWrite>('id', 'text', (w) => w.operation.id),
  column<SynchronousWrite>('lane_id', 'text', (w) => w.operation.laneId),
  column<SynchronousWrite>('object_name', 'text', (w) => w.operation.objectName),
  column<SynchronousWrite>('type', 'text', (w) => w.operation.type),
  column<SynchronousWrite>('all_or_none', 'boolean', (w) => w.operation.allOrNone),
  column<SynchronousWrite>('traceparent', 'text', (w) => w.operation.traceparent),
  column<SynchronousWrite>('owner', 'text', (w) => w.owner),
  column<SynchronousWrite>('records_total', 'integer', (w) => w.records.length),
  column<SynchronousWrite>('lease_ms', 'float8', (w) => w.leaseMs),
  column<SynchronousWrite>('is_keyed', 'boolean', (w) => w.idempotency !== undefined),
];
const recordColumns = [
  column<PlacedRecord>('position', 'integer', (r) => r.position),
  column<PlacedRecord>('record_index', 'integer', (r) => r.index),
  column<PlacedRecord>('call_number', 'integer', (r) => r.callNumber),
  column<PlacedRecord>('ref', 'text', (r) => r.ref),
  column<PlacedRecord>('order_key', 'text', (r) => r.orderKey),
  column<PlacedRecord>('headers_key', 'text', (r) => r.headersKey),
  column<PlacedRecord>('plan', 'json', (r) => r.plan),
  column<PlacedRecord>('retry_ms', 'bigint', (r) => r.retryMs),
  column<PlacedRecord>('fingerprint', 'text', (r) => r.fingerprint),
];

/**
 * `current`: what may be opened. `fresh`: what is; without a key that is taken. The lease begins when the row is written, so that one that waited
 * for a lock is not over before its opening has committed; its owner counts from before the statement.
 */
const runningSql = (claimed: string): string => `
  with current as materialized (select i.* from ${keptRowsSql('i', operationColumns)} where ${pinsAreCurrent('i')}),
  claimed as (${claimed}),
  fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c
    where not c.is_keyed or c.id in (select operation_id from claimed) order by c.ord),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
      'synchronous', 'queued', records_total, 1, traceparent from fresh returning id, created_at),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, sent_at, attempts, fence, lease_until, owner)
    select project_id, id, 1, lane_id, connection_id, object_name, type, 'synchronous', 'running', all_or_none,
      traceparent, now(), 1, 1, clock_timestamp() + make_interval(secs => lease_ms / 1000), owner from fresh),
  stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
      connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms,
      fingerprint, send_state, first_sent_at)
    select f.project_id, f.id, r.record_index, r.call_number, r.ref, f.accept_seq, f.lane_id, f.connection_id,
      f.object_name, f.type, r.order_key, f.traceparent, f.config_id, r.headers_key, r.plan, now(), r.retry_ms,
      r.fingerprint, 'sent', now()
    from ${keptRowsSql('r', recordColumns)} join fresh f on f.ord = r.position),
  attempted as (insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at)
    select project_id, id, 1, 1, owner, array(select generate_series(0, records_total - 1)), now() from fresh)
  select c.id, (select o.created_at from opened o where o.id = c.id) as created_at from current c`;

const statements = {
  bare: { name: 'open-running', sql: runningSql('select null::text as operation_id where false') },
  keyed: { name: 'open-keyed-running', sql: runningSql(claimSql('k.operation_id in (select id from current)')) },
};

/** Inserts operation, call, records and attempt of each write. No idempotency key may occur twice. */
function runningStatement(writes: readonly SynchronousWrite[], timeScale: number): RunningStatement {
  const records = writes.flatMap((write, at) => write.records.map((record) => ({ ...record, position: at + 1 })));
  const keyed = writes.flatMap(({ operation, idempotency }) =>
    idempotency === undefined
      ? []
      : [{ projectId: operation.projectId, operationId: operation.id, claim: idempotency }],
  );
  const bindings = [
    ...rowBindings(operationColumns, writes),
    ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
    ...rowBindings(recordColumns, records),
  ];
  return { ...(keyed.length === 0 ? statements.bare : statements.keyed), bindings };
}
