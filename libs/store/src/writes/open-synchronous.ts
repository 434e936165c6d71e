import type { Knex } from 'knex';
import {
  type ConfirmedCredentials,
  accessSql,
  blockedMsSql,
  confirmedCredentials,
  sealedSql,
} from '../connections/connection-row';
import { column, preparedRowsSql, rowBindings, textArray } from '../row-source';
import type { StoredRow } from '../table';
import { type KeyClaim, claimBindings, claimSql } from './idempotency-key';
import {
  type NewOperation,
  type NewRecord,
  insertOperationsSql,
  insertRecordsSql,
  isInCall,
  pinColumns,
  pinsAreCurrent,
} from './write-rows';
import { type OrderKey, enqueueSql, enqueuedColumns, lockForSynchronous, orderKeyColumns } from './order-queue';

/** A synchronous write that this process is about to send. */
export interface SynchronousWrite {
  readonly operation: NewOperation;
  readonly records: readonly (NewRecord & { readonly fingerprint?: string })[];
  readonly owner: string;
  readonly leaseMs: number;
  /** Claimed with the opening; in flight until the settlement. */
  readonly idempotency?: KeyClaim;
  /** Version of the token whose credentials the caller holds opened. They are not returned while this is the one stored. */
  readonly knownTokenVersion?: number;
  /** Opens also when the access token is at its end: the caller has tried to refresh it. @default false */
  readonly isRefreshed?: boolean;
}

/**
 * `opened`: the intent is committed under lease and fence 1, the caller sends now, with these credentials. `queuedBehind` names operations
 * whose queued writes to the same record it overtakes. In every other case nothing was written. `stale`: what the plan was made from has
 * changed. `blocked`: the account refused a call. `expiring`: the access token is to be refreshed first. `busy`: a call is executing on the
 * record at this moment. `key-taken`: its idempotency key belongs to another write.
 */
export type Opening =
  | {
      readonly kind: 'opened';
      readonly acceptedAt: Date;
      readonly queuedBehind: readonly string[];
      readonly credentials: ConfirmedCredentials;
    }
  | { readonly kind: 'blocked'; readonly blockedMs: number }
  | { readonly kind: 'stale' | 'expiring' | 'busy' | 'key-taken' };

/**
 * Opens a synchronous operation with its call already running and its intent recorded, in one statement: committed means sent. The statement itself
 * reads all that the send relies on (pins, block of the lane, token and credentials), so nothing of it is older than the intent. A write to known
 * records needs a statement before, because one that waited for a lock does not see what it waited for: 1. a delete locks its installation. So a
 * config that disables it is committed before this reads it, or after the intent. Then advisory locks on the order keys, so that no executor starts
 * on these records meanwhile. 2. Refuse if a call is executing on one, else open.
 */
export async function insertSynchronous(database: Knex, write: SynchronousWrite, timeScale: number): Promise<Opening> {
  const orderKeys = write.records.flatMap((record) => record.orderKey ?? []);
  if (orderKeys.length === 0) return (await insertTogether(database, [write], timeScale))[0] as Opening;
  return await database.transaction(async (transaction): Promise<Opening> => {
    const { projectId, type, pins } = write.operation;
    await lockForSynchronous(
      transaction,
      orderKeys,
      type === 'delete' ? { projectId, id: pins.installationId } : undefined,
    );
    const ordered = orderKeys.map((orderKey) => ({ projectId, orderKey }));
    const [opening] = await insertTogether(transaction, [write], timeScale, ordered);
    return opening as Opening;
  });
}

/**
 * Opens synchronous creates in one statement: they are unordered, so none waits for another.
 * @param writes none of their records has an order key, and no two an idempotency key
 * @param ordered of the records that one write, which is an update or a delete, writes to. The caller holds their locks
 * @returns the outcome of each, in their order; `busy` only with `ordered`
 */
export async function insertTogether(
  database: Knex,
  writes: readonly SynchronousWrite[],
  timeScale: number,
  ordered: readonly OrderKey[] = [],
): Promise<readonly Opening[]> {
  const records = writes.flatMap((write, at) => write.records.map((record) => ({ ...record, position: at + 1 })));
  const keyed = writes.flatMap(({ operation, idempotency }) =>
    idempotency === undefined
      ? []
      : [{ projectId: operation.projectId, operationId: operation.id, claim: idempotency }],
  );
  const bindings = [
    ...(ordered.length === 0 ? [] : rowBindings(orderKeyColumns, ordered)),
    ...rowBindings(operationColumns, writes),
    ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
    ...rowBindings(recordColumns, records),
  ];
  const { name, sql } = statementOf(keyed.length > 0, ordered.length > 0);
  const result = await database.raw<{ rows: OpeningRow[] }>(sql, bindings as Knex.Value[]).options({ name });
  const rows = new Map(result.rows.map((row) => [row.id, row]));
  return writes.map((write) => toOpening(write, rows.get(write.operation.id)));
}

/** One row per write whose pins are current, with what else it needs to be opened. */
interface OpeningRow extends StoredRow {
  readonly id: string;
  readonly blocked_ms: number;
  readonly is_expiring: boolean;
  readonly is_busy: boolean;
  /** Of operations with unfinished writes to the same records, each as often as it has some. */
  readonly standing: readonly string[];
  /** Null: it was not opened. */
  readonly created_at: Date | null;
}

function toOpening({ isRefreshed = false }: SynchronousWrite, row: OpeningRow | undefined): Opening {
  if (row === undefined) return { kind: 'stale' };
  if (row.is_busy) return { kind: 'busy' };
  if (row.blocked_ms > 0) return { kind: 'blocked', blockedMs: row.blocked_ms };
  if (row.is_expiring && !isRefreshed) return { kind: 'expiring' };
  // What could be opened and was not has lost its key to another write.
  if (row.created_at === null) return { kind: 'key-taken' };
  const queuedBehind = [...new Set(row.standing)];
  return { kind: 'opened', acceptedAt: row.created_at, queuedBehind, credentials: confirmedCredentials.read(row) };
}

type PositionedRecord = NewRecord & { readonly position: number };

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
  column<SynchronousWrite>('fingerprints', 'text', (w) => textArray(w.records.map(({ fingerprint }) => fingerprint))),
  column<SynchronousWrite>('lease_ms', 'float8', (w) => w.leaseMs),
  column<SynchronousWrite>('is_keyed', 'boolean', (w) => w.idempotency !== undefined),
  column<SynchronousWrite>('known_version', 'integer', (w) => w.knownTokenVersion),
  column<SynchronousWrite>('is_refreshed', 'boolean', (w) => w.isRefreshed ?? false),
];
const recordColumns = [
  column<PositionedRecord>('position', 'integer', (r) => r.position),
  column<PositionedRecord>('record_index', 'integer', (r) => r.index),
  column<PositionedRecord>('ref', 'text', (r) => r.ref),
  column<PositionedRecord>('order_key', 'text', (r) => r.orderKey),
  column<PositionedRecord>('headers_key', 'text', (r) => r.headersKey),
  column<PositionedRecord>('plan', 'json', (r) => r.plan),
];

/**
 * Unfinished writes to the same records, those that are executing first: what is queued is overtaken, what is executing is waited for. Key by key
 * (`offset 0` keeps it so), as `leave_queue` does.
 */
const standingSql = `
  select q.operation_id, coalesce((select bool_or(c.state = 'running') from calls c
      where c.project_id = q.project_id and c.operation_id = q.operation_id and ${isInCall('q', 'c')}), false) as running
  from (select distinct k.project_id, k.order_key from ${preparedRowsSql('k', orderKeyColumns)}) k cross join lateral (
    select * from order_queue where project_id = k.project_id and order_key = k.order_key offset 0) q
  order by running desc, q.accept_seq, q.record_index limit 100`;

/** What the statement reads and writes beside what every opening does. */
interface OpeningKind {
  /** Some of its writes have idempotency keys. */
  readonly isKeyed: boolean;
  /** Its one write is to known records. */
  readonly isOrdered: boolean;
}

/**
 * `checked`: what is current, with the connection and the block of its lane, each read by its key whatever the planner knows of the tables. `fresh`:
 * what of it is opened, without a key that is taken. The lease begins when the row is written, so that the lease of an opening that waited for a lock
 * is not over before it has committed. Its owner counts from before the statement. What a kind does not need is left out: half of what a statement of
 * one write costs is the start of its plan.
 */
function openingSql({ isKeyed, isOrdered }: OpeningKind): string {
  const isIdle = isOrdered ? 'and not exists (select 1 from standing where running)' : '';
  const mayOpen = `blocked_ms = 0 and (is_refreshed or not is_expiring) ${isIdle}`;
  const [returned, queued] = isOrdered
    ? [`returning ${enqueuedColumns}`, `, queued as (${enqueueSql('stored')})`]
    : ['', ''];
  const hasKey = isKeyed ? 'and (not is_keyed or id in (select operation_id from claimed))' : '';
  return `
  with ${isOrdered ? `standing as materialized (${standingSql}),` : ''}
  checked as materialized (
    select i.*, ${accessSql('k')}, ${sealedSql('k', 'k.token_version = i.known_version')},
      coalesce((select ${blockedMsSql('l')} from lanes l where l.project_id = i.project_id and l.id = i.lane_id), 0) as blocked_ms
    from ${preparedRowsSql('i', operationColumns)}
    cross join lateral (select * from connections k where k.project_id = i.project_id and k.id = i.connection_id limit 1) k
    where ${pinsAreCurrent('i')}),
  ${isKeyed ? `claimed as (${claimSql(`k.operation_id in (select id from checked where ${mayOpen})`)}),` : ''}
  fresh as materialized (select *, nextval('accept_seq') as accept_seq from checked where ${mayOpen} ${hasKey} order by ord),
  opened as (${insertOperationsSql}
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
      'synchronous', 'queued', records_total, 1, traceparent from fresh),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, deadline, sent_at, attempts, fence, lease_until, owner, sent_members, sent_fingerprints)
    select project_id, id, 1, lane_id, connection_id, object_name, type, 'synchronous', 'running', all_or_none,
      traceparent, now(), now(), 1, 1, clock_timestamp() + make_interval(secs => lease_ms / 1000), owner,
      array(select generate_series(0, records_total - 1)), fingerprints::text[] from fresh),
  stored as (${insertRecordsSql}
    select f.project_id, f.id, r.record_index, r.ref, f.accept_seq, r.order_key, f.traceparent, f.config_id, r.headers_key,
      r.plan, 0
    from ${preparedRowsSql('r', recordColumns)} join fresh f on f.ord = r.position ${returned})
  ${queued}
  select c.id, c.provider, c.token_version, c.sealed_credentials, c.provider_workspace_ref, c.provider_metadata, c.status,
    c.is_expiring, c.blocked_ms, (select now() from fresh f where f.id = c.id) as created_at,
    ${isOrdered ? 'exists (select 1 from standing where running)' : 'false'} as is_busy,
    ${isOrdered ? 'array(select operation_id from standing)' : `'{}'::text[]`} as standing
  from checked c`;
}

/** Of creates, which are unordered, and of writes to known records; each without and with idempotency keys. Their texts never change, so they are prepared (`renewPlans`). */
const statements = {
  create: { name: 'open-creates', sql: openingSql({ isKeyed: false, isOrdered: false }) },
  keyedCreate: { name: 'open-keyed-creates', sql: openingSql({ isKeyed: true, isOrdered: false }) },
  ordered: { name: 'open-ordered', sql: openingSql({ isKeyed: false, isOrdered: true }) },
  keyedOrdered: { name: 'open-keyed-ordered', sql: openingSql({ isKeyed: true, isOrdered: true }) },
};

function statementOf(isKeyed: boolean, isOrdered: boolean) {
  if (isOrdered) return isKeyed ? statements.keyedOrdered : statements.ordered;
  return isKeyed ? statements.keyedCreate : statements.create;
}
