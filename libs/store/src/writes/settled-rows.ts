import { callKeyColumns } from './call-key';
import { column, rowSource, hiddenFromPlanner, type Column, type RowSource } from '../row-source';
import type { RecordSettlement, Settlement } from './settlement';
import type { CallKey } from './write-rows';

/** The updates that a settlement makes, as statements that run together in one round trip: they touch different tables. */
export interface Scope {
  /** SQL condition: which of the given rows `i` they apply to. */
  readonly within: string;
  /** How the rows are given. */
  readonly source: typeof rowSource;
}

const all: Scope = { within: 'true', source: rowSource };

type SettledRecord = RecordSettlement &
  CallKey & { readonly isCreate: boolean; readonly wasSent: boolean; readonly barrierMs: number | undefined };

const recordColumns: Column<SettledRecord>[] = [
  column('project_id', 'text', (r) => r.projectId),
  column('operation_id', 'text', (r) => r.operationId),
  column('record_index', 'integer', (r) => r.index),
  column('outcome', 'text', (r) => (r.kind === 'again' ? 'pending' : r.kind)),
  column('send_state', 'text', sendStateOf),
  column('is_untried', 'boolean', (r) => r.kind === 'again' && r.isUntried === true),
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

/**
 * Null: as before. Of a create that succeeded it shows whether a reply confirmed it, or the record was found: `maybe` is an adoption. What
 * ends because its deadline has passed was not in the attempt.
 */
function sendStateOf(record: SettledRecord): string | null {
  if (record.kind === 'again') return record.sendState;
  if (record.kind === 'succeeded' && record.isCreate) return record.isAdopted === true ? 'maybe' : 'sent';
  const wasSent = record.wasSent && (record.kind === 'succeeded' || record.error.class !== 'deadline');
  return wasSent ? 'sent' : null;
}

/**
 * A provider id that another create has claimed already is stored, but not claimed twice: such a record is returned as contested.
 */
export function updateRecords(held: readonly Settlement[], timeScale: number, scope = all): RowSource {
  const rows = held.flatMap((settlement) =>
    settlement.records.map((record): SettledRecord => ({
      ...record,
      projectId: settlement.projectId,
      operationId: settlement.operationId,
      number: settlement.number,
      isCreate: settlement.isCreate,
      wasSent: settlement.attempt !== undefined,
      barrierMs: settlement.barrierMs,
    })),
  );
  const input = scope.source('i', recordColumns, rows);
  const sql = `
    update records r set outcome = i.outcome, send_state = coalesce(i.send_state, r.send_state), updated_at = now(),
           first_sent_at = case when not i.is_untried then r.first_sent_at end, provider_id = i.provider_id,
           claimed_provider_id = case when i.claims and not exists (
               select 1 from records o where o.project_id = r.project_id and o.lane_id = r.lane_id
                 and o.object_name = r.object_name and o.claimed_provider_id = i.provider_id) then i.provider_id end,
           error_class = i.error_class, error_text = i.error_text,
           warnings = array(select json_array_elements_text(i.warnings::json)),
           barrier_until = greatest(r.barrier_until, now() + make_interval(secs => i.barrier_ms / 1000 / ?::float8))
    from ${input.sql}
    where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
      and r.outcome = ${hiddenFromPlanner('pending')} and ${scope.within}
    returning r.project_id, r.operation_id, r.record_index, r.provider_id,
              i.claims and i.provider_id is not null and r.claimed_provider_id is null as is_contested`;
  return { sql, bindings: [timeScale, ...input.bindings] };
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

/** What was not sent has no attempt to close. */
export function closeAttempts(held: readonly Settlement[], scope = all): RowSource {
  const input = scope.source(
    'i',
    attemptColumns,
    held.filter((settlement) => settlement.attempt !== undefined),
  );
  const sql = `
    update attempts a set finished_at = now(), status = i.status, provider_request_id = i.provider_request_id,
           error_class = i.error_class, error_text = i.error_text, duration_ms = i.duration_ms, fingerprints = null
    from ${input.sql}
    where a.project_id = i.project_id and a.operation_id = i.operation_id and a.call_number = i.number and a.fence = i.fence
      and ${scope.within}`;
  return { sql, bindings: input.bindings };
}

const moveColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  // After a split the records are in other calls.
  column('state', 'text', (s) => (s.next.state === 'split' ? 'done' : s.next.state)),
  column('delay_ms', 'float8', (s) => ('delayMs' in s.next ? s.next.delayMs : 0)),
  column('was_sent', 'boolean', (s) => s.attempt !== undefined),
];

/**
 * A recorded outcome clears `sent_at` and the crash count. A call in doubt keeps `sent_at`: its next lapse must not send. A completed
 * lookup resets the crashes counted during lookups, which this call evidently did not cause, and keeps those of sends: otherwise a create
 * that kills its sender each time would be sent again until its deadline.
 */
export function moveCalls(held: readonly Settlement[], scope = all): RowSource {
  const input = scope.source('i', moveColumns, held);
  const sql = `
    update calls c set state = i.state, not_before = now() + make_interval(secs => i.delay_ms / 1000),
           sent_at = case when i.state = 'in_doubt' then c.sent_at end,
           crash_count = case when i.was_sent then 0 else c.crash_count - c.look_crashes end, look_crashes = 0,
           lease_until = null, owner = null
    from ${input.sql}
    where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
      and ${scope.within}`;
  return { sql, bindings: input.bindings };
}
