import type { Knex } from 'knex';
import { endOperations } from './end-operations';
import { lockOrderKeys } from './lock-order-keys';
import { callId, callKeyColumns, toCallKey, type CallKeyRow } from './call-key';
import { adoptionKeysOf, undoLateAdoptions } from './late-adoptions';
import { column, rowSource, type Column } from './row-source';
import type { EndedOperation, RecordSettlement, ReleasedCall, Settled, Settlement } from './settlement';
import type { CallKey } from './write-rows';

/**
 * Settles calls in one transaction, each behind its fence.
 * Order: 1. order keys, and keys of provider records to adopt. 2. Operation rows, then call rows, each in id order. 3. A settlement whose fence is gone becomes
 * evidence of its attempt; an adoption that comes too late goes back into doubt. 4. Records and attempts. 5. Calls. 6. Operations: `calls_open` falls; at zero they end.
 * 7. Calls that waited behind these records become ready.
 */
export async function settleTogether(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
): Promise<Map<string, Settled>> {
  return await database.transaction(async (transaction) => {
    const orderKeys = settlements.flatMap((settlement) => settlement.orderKeys);
    await lockOrderKeys(transaction, [...orderKeys, ...adoptionKeysOf(settlements)]);
    await lockOperations(transaction, settlements);
    const current = await lockCalls(transaction, settlements);
    const isHeld = (settlement: Settlement): boolean => current.get(callId(settlement)) === settlement.fence;
    const held = await undoLateAdoptions(transaction, settlements.filter(isHeld));
    const lost = settlements.filter((settlement) => !isHeld(settlement));
    await keepEvidence(transaction, lost);
    await writeRecords(transaction, held, timeScale);
    await closeAttempts(transaction, held);
    await moveCalls(transaction, held);
    const ended = await endOperations(transaction, held);
    const released = await releaseWaiting(transaction, held);
    const moved = new Map(held.map((settlement) => [callId(settlement), settlement.next]));
    return new Map(
      settlements.map((settlement) => [callId(settlement), toSettled(settlement, { moved, ended, released })]),
    );
  });
}

interface Effects {
  readonly moved: ReadonlyMap<string, Settlement['next']>;
  readonly ended: ReadonlyMap<string, EndedOperation>;
  readonly released: readonly ReleasedCall[];
}

function toSettled(settlement: Settlement, { moved, ended, released }: Effects): Settled {
  const next = moved.get(callId(settlement));
  if (next === undefined) return { isHeld: false, released };
  const operation = ended.get(settlement.operationId);
  return {
    isHeld: true,
    ...(operation === undefined ? {} : { ended: operation }),
    ...(next === settlement.next ? {} : { next }),
    released,
  };
}

async function lockOperations(transaction: Knex.Transaction, settlements: readonly Settlement[]): Promise<void> {
  const input = rowSource('i', callKeyColumns.slice(0, 2), settlements);
  await transaction.raw(
    `select 1 from operations o where (o.project_id, o.id) in (select project_id, operation_id from ${input.sql})
     order by o.project_id, o.id for update`,
    input.bindings as Knex.Value[],
  );
}

async function lockCalls(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<Map<string, number>> {
  const input = rowSource('i', callKeyColumns, settlements);
  type Row = CallKeyRow & { fence: string };
  const result = await transaction.raw<{ rows: Row[] }>(
    `select c.project_id, c.operation_id, c.number, c.fence from calls c
     where (c.project_id, c.operation_id, c.number) in (select project_id, operation_id, number from ${input.sql})
       and c.state = 'running'
     order by c.project_id, c.operation_id, c.number for update`,
    input.bindings as Knex.Value[],
  );
  return new Map(result.rows.map((row) => [callId(toCallKey(row)), Number(row.fence)]));
}

const evidenceColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('evidence', 'text', (s) => JSON.stringify(s.records)),
];

/**
 * A reply that lost its fence is not thrown away: reconciliation reads it first. If it says that something was written and the
 * call has not been sent again, the call goes back into doubt at once, under a new fence, so that nobody sends it.
 */
async function keepEvidence(transaction: Knex.Transaction, lost: readonly Settlement[]): Promise<void> {
  const sent = lost.filter((settlement) => settlement.attempt !== undefined);
  if (sent.length === 0) return;
  const input = rowSource('i', evidenceColumns, sent);
  await transaction.raw(
    `update attempts a set late_evidence = coalesce(a.late_evidence, i.evidence), finished_at = now() from ${input.sql}
     where a.project_id = i.project_id and a.operation_id = i.operation_id and a.call_number = i.number and a.fence = i.fence`,
    input.bindings as Knex.Value[],
  );
  const written = sent.filter(({ records }) => records.some((record) => record.kind === 'succeeded'));
  if (written.length === 0) return;
  const calls = rowSource('i', callKeyColumns, written);
  await transaction.raw(
    `update calls c set state = 'in_doubt', sent_at = now(), not_before = now(), fence = c.fence + 1, owner = null,
            lease_until = null
     from ${calls.sql} where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       and (c.state in ('ready', 'waiting') or (c.state = 'running' and c.sent_at is null))`,
    calls.bindings as Knex.Value[],
  );
}

type SettledRecord = RecordSettlement &
  CallKey & { readonly isCreate: boolean; readonly barrierMs: number | undefined };

const recordColumns: Column<SettledRecord>[] = [
  column('project_id', 'text', (r) => r.projectId),
  column('operation_id', 'text', (r) => r.operationId),
  column('record_index', 'integer', (r) => r.index),
  column('outcome', 'text', (r) => (r.kind === 'again' ? 'pending' : r.kind)),
  column('send_state', 'text', (r) => (r.kind === 'again' ? r.sendState : null)),
  column('provider_id', 'text', (r) => (r.kind === 'succeeded' ? r.providerId : null)),
  column('claims', 'boolean', (r) => r.isCreate && r.kind === 'succeeded'),
  column('error_class', 'text', (r) => (r.kind === 'succeeded' ? null : r.error?.class)),
  column('error_text', 'text', (r) => (r.kind === 'succeeded' ? null : r.error?.text)),
  column('warnings', 'text', (r) => (r.kind === 'succeeded' ? JSON.stringify(r.warnings ?? []) : null)),
  column('barrier_ms', 'float8', (r) => (mayStillBeApplied(r) ? r.barrierMs : null)),
];

function mayStillBeApplied(record: RecordSettlement): boolean {
  return record.kind === 'unknown' || (record.kind === 'again' && record.sendState === 'maybe');
}

/** A provider id that another create has claimed already is stored, but not claimed twice. */
async function writeRecords(
  transaction: Knex.Transaction,
  held: readonly Settlement[],
  timeScale: number,
): Promise<void> {
  const rows = held.flatMap((settlement) =>
    settlement.records.map((record): SettledRecord => ({
      ...record,
      projectId: settlement.projectId,
      operationId: settlement.operationId,
      number: settlement.number,
      isCreate: settlement.isCreate,
      barrierMs: settlement.barrierMs,
    })),
  );
  if (rows.length === 0) return;
  const input = rowSource('i', recordColumns, rows);
  await transaction.raw(
    `update records r set outcome = i.outcome, send_state = coalesce(i.send_state, r.send_state), updated_at = now(),
            provider_id = i.provider_id,
            claimed_provider_id = case when i.claims and not exists (
                select 1 from records o where o.project_id = r.project_id and o.lane_id = r.lane_id
                  and o.object_name = r.object_name and o.claimed_provider_id = i.provider_id) then i.provider_id end,
            error_class = i.error_class, error_text = i.error_text,
            warnings = array(select json_array_elements_text(i.warnings::json)),
            barrier_until = greatest(r.barrier_until, now() + make_interval(secs => i.barrier_ms / 1000 / ?::float8))
     from ${input.sql}
     where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
       and r.outcome = 'pending'`,
    [timeScale, ...input.bindings] as Knex.Value[],
  );
}

const attemptColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('status', 'integer', (s) => s.attempt?.status),
  column('provider_request_id', 'text', (s) => s.attempt?.providerRequestId),
  column('error_class', 'text', (s) => s.attempt?.error?.class),
  column('error_text', 'text', (s) => s.attempt?.error?.text),
  column('duration_ms', 'integer', (s) => (s.attempt === undefined ? null : Math.round(s.attempt.durationMs))),
];

async function closeAttempts(transaction: Knex.Transaction, held: readonly Settlement[]): Promise<void> {
  const sent = held.filter((settlement) => settlement.attempt !== undefined);
  if (sent.length === 0) return;
  const input = rowSource('i', attemptColumns, sent);
  await transaction.raw(
    `update attempts a set finished_at = now(), status = i.status, provider_request_id = i.provider_request_id,
            error_class = i.error_class, error_text = i.error_text, duration_ms = i.duration_ms
     from ${input.sql}
     where a.project_id = i.project_id and a.operation_id = i.operation_id and a.call_number = i.number and a.fence = i.fence`,
    input.bindings as Knex.Value[],
  );
}

const moveColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('state', 'text', (s) => s.next.state),
  column('delay_ms', 'float8', (s) => ('delayMs' in s.next ? s.next.delayMs : 0)),
];

/** A recorded outcome clears `sent_at` and the crash count. A call in doubt keeps it: its next lapse must not send. */
async function moveCalls(transaction: Knex.Transaction, held: readonly Settlement[]): Promise<void> {
  if (held.length === 0) return;
  const input = rowSource('i', moveColumns, held);
  await transaction.raw(
    `update calls c set state = i.state, not_before = now() + make_interval(secs => i.delay_ms / 1000),
            sent_at = case when i.state = 'in_doubt' then c.sent_at end, crash_count = 0, lease_until = null, owner = null
     from ${input.sql}
     where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number`,
    input.bindings as Knex.Value[],
  );
  await quarantine(
    transaction,
    held.filter((settlement) => settlement.next.state === 'quarantined'),
  );
}

async function quarantine(transaction: Knex.Transaction, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return;
  await transaction('quarantine')
    .insert(
      settlements.map(({ projectId, operationId, number }) => ({
        project_id: projectId,
        operation_id: operationId,
        call_number: number,
        reason: 'The call crashed an executor three times, the last time while it ran alone.',
        replay_command: `POST /v1/projects/${projectId}/operations/${operationId}:replay`,
      })),
    )
    .onConflict()
    .ignore();
}

/** Waiting calls whose blocked record is now the first unfinished write of its order key. */
async function releaseWaiting(transaction: Knex.Transaction, held: readonly Settlement[]): Promise<ReleasedCall[]> {
  const orderKeys = held.flatMap((settlement) => settlement.orderKeys);
  if (orderKeys.length === 0) return [];
  const result = await transaction.raw<{ rows: ReleasedRow[] }>(
    `update calls c set state = 'ready', not_before = c.created_at
     from (select distinct on (r.project_id, r.order_key) r.project_id, r.operation_id, r.call_number
           from records r where r.project_id = any(?::text[]) and r.order_key = any(?::text[]) and r.outcome = 'pending'
           order by r.project_id, r.order_key, r.accept_seq, r.record_index) n
     join operations o on o.project_id = n.project_id and o.id = n.operation_id
     where c.project_id = n.project_id and c.operation_id = n.operation_id and c.number = n.call_number
       and c.state = 'waiting'
     returning c.project_id, c.operation_id, c.number, c.lane_id, c.object_name, c.type, c.traceparent, o.installation_id`,
    [[...new Set(held.map((settlement) => settlement.projectId))], orderKeys] as unknown as Knex.Value[],
  );
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
