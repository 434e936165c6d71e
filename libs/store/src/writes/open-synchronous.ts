import type { Knex } from 'knex';
import { claimKeys, type KeyClaim } from './idempotency-key';
import { lockOrderKeys } from './lock-order-keys';
import { column, rowSource } from './row-source';
import type { NewOperation, NewRecord } from './write-rows';
import { pinsAreCurrent } from './write-source';

/** A synchronous write that is about to be sent by this very process. */
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

interface SynchronousRecord extends NewRecord {
  readonly fingerprint?: string;
}

const recordColumns = [
  column<SynchronousRecord>('record_index', 'integer', (r) => r.index),
  column<SynchronousRecord>('call_number', 'integer', (r) => r.callNumber),
  column<SynchronousRecord>('ref', 'text', (r) => r.ref),
  column<SynchronousRecord>('order_key', 'text', (r) => r.orderKey),
  column<SynchronousRecord>('headers_key', 'text', (r) => r.headersKey),
  column<SynchronousRecord>('plan', 'text', (r) => r.plan),
  column<SynchronousRecord>('retry_ms', 'bigint', (r) => r.retryMs),
  column<SynchronousRecord>('fingerprint', 'text', (r) => r.fingerprint),
];

/**
 * Opens a synchronous operation with its call already running and its intent recorded, in one transaction.
 * Order: 1. a delete holds its installation: a config that disables it is committed before this looks, or after the intent.
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

/** Before the order keys, as whoever deletes the installation does. Only deletes pay for it: other writes pin what they were planned on. */
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
  const records = rowSource('r', recordColumns, write.records);
  const { operation: o } = write;
  const key = keyParts(write, timeScale);
  const values = [o.projectId, o.id, o.integrationId, o.pins.installationId, o.pins.configId, o.pins.connectionId];
  const result = await database.raw<{ rows: { created_at: Date | null; is_current: boolean }[] }>(
    `with i as (select ?::text as project_id, ?::text as id, ?::text as integration_id, ?::text as installation_id,
                       ?::text as config_id, ?::text as connection_id, ?::text as revision_id, ?::text as key_id, ?::text as lane_id,
                       ?::text as object_name, ?::text as type, ?::boolean as all_or_none, ?::text as traceparent,
                       ?::text as owner, ?::integer as records_total, ?::float8 as lease_ms),
     current as materialized (select i.* from i where ${pinsAreCurrent('i')}),
     ${key.claimed}
     fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c ${key.onlyClaimed}),
     opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
                        object_name, type, mode, state, records_total, calls_open, traceparent)
                select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
                       'synchronous', 'queued', records_total, 1, traceparent from fresh returning created_at),
     called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
                        all_or_none, traceparent, sent_at, attempts, fence, lease_until, owner)
                select project_id, id, 1, lane_id, connection_id, object_name, type, 'synchronous', 'running', all_or_none,
                       traceparent, now(), 1, 1, now() + make_interval(secs => lease_ms / 1000), owner from fresh),
     stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
                        connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until,
                        retry_ms, fingerprint, send_state, first_sent_at)
                select f.project_id, f.id, r.record_index, r.call_number, r.ref, f.accept_seq, f.lane_id, f.connection_id,
                       f.object_name, f.type, r.order_key, f.traceparent, f.config_id, r.headers_key, r.plan, now(),
                       r.retry_ms, r.fingerprint, 'sent', now() from fresh f cross join ${records.sql}),
     attempted as (insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at)
                select project_id, id, 1, 1, owner, array(select generate_series(0, records_total - 1)), now() from fresh)
     select (select created_at from opened) as created_at, exists (select 1 from current) as is_current`,
    [
      ...values,
      o.pins.revisionId,
      o.pins.keyId,
      o.laneId,
      o.objectName,
      o.type,
      o.allOrNone,
      o.traceparent,
      write.owner,
      write.records.length,
      write.leaseMs,
      ...key.bindings,
      ...records.bindings,
    ] as Knex.Value[],
  );
  const row = result.rows[0];
  if (row?.is_current !== true) return { kind: 'stale' };
  // What was current and could not be opened has lost its key to another write.
  if (row.created_at === null) return { kind: 'key-taken' };
  return { kind: 'opened', acceptedAt: row.created_at, queuedBehind };
}

function keyParts({ operation, idempotency }: SynchronousWrite, timeScale: number) {
  if (idempotency === undefined) return { claimed: '', onlyClaimed: '', bindings: [] };
  const keyed = { projectId: operation.projectId, operationId: operation.id, claim: idempotency };
  const claim = claimKeys([keyed], timeScale, 'k.operation_id in (select id from current)');
  return {
    claimed: `claimed as (${claim.sql}),`,
    onlyClaimed: 'where c.id in (select operation_id from claimed)',
    bindings: claim.bindings,
  };
}
