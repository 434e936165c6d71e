import type { Knex } from 'knex';
import { claimKeys, keySource, keptSeconds, type KeyClaim, type KeyedOperation } from './idempotency-key';
import { column, rowSource, type RowSource } from './row-source';
import type { NewOperation, NewRecord } from './write-rows';

/** A single or batch asynchronous write: one operation, one or more calls, its records. */
export interface AcceptableWrite {
  readonly operation: NewOperation;
  readonly records: readonly NewRecord[];
  /** Claimed together with the acceptance. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/**
 * When it was accepted, from the database's clock. `stale` when a pin has changed, `key-taken` when its idempotency key
 * belongs to another write: nothing was written.
 */
export type Acceptance = { readonly acceptedAt: Date } | 'stale' | 'key-taken';

const operationColumns = [
  column<NewOperation>('project_id', 'text', (o) => o.projectId),
  column<NewOperation>('id', 'text', (o) => o.id),
  column<NewOperation>('integration_id', 'text', (o) => o.integrationId),
  column<NewOperation>('installation_id', 'text', (o) => o.pins.installationId),
  column<NewOperation>('config_id', 'text', (o) => o.pins.configId),
  column<NewOperation>('connection_id', 'text', (o) => o.pins.connectionId),
  column<NewOperation>('revision_id', 'text', (o) => o.pins.revisionId),
  column<NewOperation>('key_id', 'text', (o) => o.pins.keyId),
  column<NewOperation>('lane_id', 'text', (o) => o.laneId),
  column<NewOperation>('object_name', 'text', (o) => o.objectName),
  column<NewOperation>('type', 'text', (o) => o.type),
  column<NewOperation>('mode', 'text', (o) => o.mode),
  column<NewOperation>('all_or_none', 'boolean', (o) => o.allOrNone),
  column<NewOperation>('traceparent', 'text', (o) => o.traceparent),
];

interface AcceptedRow {
  readonly id: string;
  readonly created_at: Date | null;
  readonly refusal: 'stale' | 'key-taken' | null;
}

interface RecordOfOperation extends NewRecord {
  readonly operationId: string;
}

const recordColumns = [
  column<RecordOfOperation>('operation_id', 'text', (r) => r.operationId),
  column<RecordOfOperation>('record_index', 'integer', (r) => r.index),
  column<RecordOfOperation>('call_number', 'integer', (r) => r.callNumber),
  column<RecordOfOperation>('ref', 'text', (r) => r.ref),
  column<RecordOfOperation>('order_key', 'text', (r) => r.orderKey),
  column<RecordOfOperation>('headers_key', 'text', (r) => r.headersKey),
  column<RecordOfOperation>('plan', 'text', (r) => r.plan),
  column<RecordOfOperation>('retry_ms', 'bigint', (r) => r.retryMs),
];

/** SQL condition on `i`: what the plan was made from is still what is current. */
export const pinsAreCurrent = `
  exists (select 1 from installations n where n.project_id = i.project_id and n.id = i.installation_id
          and n.config_id = i.config_id and n.connection_id = i.connection_id)
  and exists (select 1 from integrations g where g.project_id = i.project_id and g.id = i.integration_id
              and g.latest_revision_id = i.revision_id)
  and exists (select 1 from api_keys k where k.project_id = i.project_id and k.id = i.key_id and k.active
              union all
              select 1 from jwt_keys j where j.project_id = i.project_id and j.id = i.key_id and j.active)`;

/**
 * Accepts many writes in one statement: one committed transaction is the promise.
 * Running it twice with the same rows stores them once, so it is also the answer to a COMMIT of unknown outcome.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  timeScale: number,
): Promise<Map<string, Acceptance>> {
  const operations = rowSource(
    'i',
    operationColumns,
    writes.map((write) => write.operation),
  );
  const records = rowSource('r', recordColumns, writes.flatMap(toRecords));
  const keyed = writes.flatMap(toKeyed);
  const fresh = keyed.length === 0 ? freshOf(operations) : freshAndClaimedOf(operations, writes, keyed, timeScale);
  const taken = keyed.length === 0 ? { sql: '', bindings: [] } : takenOf(keyed, timeScale);
  const result = await database.raw<{ rows: AcceptedRow[] }>(
    `with present as (select o.id, o.created_at from operations o
                      join ${operations.sql} on o.project_id = i.project_id and o.id = i.id),
     ${fresh.sql},
     given as materialized (select f.*, r.record_index, r.call_number, r.ref, r.order_key, r.headers_key, r.plan, r.retry_ms
                      from fresh f join ${records.sql} on r.operation_id = f.id),
     opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
                        object_name, type, mode, state, records_total, calls_open, traceparent)
                select f.project_id, f.id, f.integration_id, f.installation_id, f.config_id, f.connection_id, f.lane_id,
                       f.object_name, f.type, f.mode, 'queued', g.records_total, g.calls_open, f.traceparent
                from fresh f join (select id, count(*) as records_total, count(distinct call_number) as calls_open
                                   from given group by id) g on g.id = f.id
                on conflict (project_id, id) do nothing returning id, created_at),
     called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
                        all_or_none, traceparent)
                select distinct project_id, id, call_number, lane_id, connection_id, object_name, type, mode, 'ready',
                       all_or_none, traceparent from given
                on conflict do nothing),
     stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
                        connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms)
                select project_id, id, record_index, call_number, ref, accept_seq, lane_id, connection_id, object_name,
                       type, order_key, traceparent, config_id, headers_key, plan,
                       now() + make_interval(secs => retry_ms / 1000.0 / ?::float8), retry_ms from given
                on conflict do nothing)
     select id, created_at, null as refusal from opened
     union all select id, created_at, null from present
     union all select i.id, null, 'stale' from ${operations.sql}
       where i.id not in (select id from present) and not (${pinsAreCurrent})
     ${taken.sql}`,
    [
      ...operations.bindings,
      ...fresh.bindings,
      ...records.bindings,
      timeScale,
      ...operations.bindings,
      ...taken.bindings,
    ] as Knex.Value[],
  );
  const answers = new Map(result.rows.map((row) => [row.id, toAcceptance(row)]));
  // Neither stored nor stale: the first try of this very write is committing at this moment. Looking again will tell.
  if (answers.size < writes.length) throw new Error('an accept of unknown outcome is still under way');
  return answers;
}

/** `fresh`: what is stored now, each with its place in the accept order. */
function freshOf(operations: RowSource): RowSource {
  const sql = `
     fresh as materialized (select i.*, nextval('accept_seq') as accept_seq from ${operations.sql}
                      where ${pinsAreCurrent} and i.id not in (select id from present) order by i.ord)`;
  return { sql, bindings: operations.bindings };
}

/** The same where some writes carry a key: those whose key is free, and those without one. */
function freshAndClaimedOf(
  operations: RowSource,
  writes: readonly AcceptableWrite[],
  keyed: readonly KeyedOperation[],
  timeScale: number,
): RowSource {
  const claim = claimKeys(keyed, timeScale, 'k.operation_id in (select id from current)');
  const bare = writes.filter(({ idempotency }) => idempotency === undefined).map(({ operation }) => operation.id);
  const sql = `
     current as materialized (select i.* from ${operations.sql}
                      where ${pinsAreCurrent} and i.id not in (select id from present)),
     claimed as (${claim.sql}),
     fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c
                      where c.id = any(?::text[]) or c.id in (select operation_id from claimed) order by c.ord)`;
  return { sql, bindings: [...operations.bindings, ...claim.bindings, bare] };
}

/** Reads what was committed before this statement. A key that was taken meanwhile is seen by the repetition. */
function takenOf(keyed: readonly KeyedOperation[], timeScale: number): RowSource {
  const keys = keySource(keyed);
  const sql = `
     union all select k.operation_id, null, 'key-taken' from ${keys.sql}
       join current on current.id = k.operation_id
       join idempotency_keys held on held.project_id = k.project_id and held.scope = k.scope and held.key = k.key
       where held.operation_id <> k.operation_id and held.created_at > now() - make_interval(secs => ?::float8)`;
  return { sql, bindings: [...keys.bindings, keptSeconds(timeScale)] };
}

/** An asynchronous write's reply is known before its commit. */
function toKeyed({ operation, records, idempotency }: AcceptableWrite): KeyedOperation[] {
  if (idempotency === undefined) return [];
  const { projectId, id: operationId } = operation;
  const ref = records[0]?.ref;
  const reply = { kind: 'accepted', operationId, index: 0, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId, operationId, claim: idempotency, reply }];
}

function toAcceptance(row: AcceptedRow): Acceptance {
  return row.created_at === null ? (row.refusal ?? 'stale') : { acceptedAt: row.created_at };
}

function toRecords(write: AcceptableWrite): RecordOfOperation[] {
  return write.records.map((record) => ({ ...record, operationId: write.operation.id }));
}
