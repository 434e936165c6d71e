import { type CallKey, callKeyColumns, isInCall, membersText } from './write-rows';
import { type Column, type PreparedRows, type RowSource, column, textArray } from '../row-source';
import type { RecordSettlement, Settlement } from './settlement';

/** How the rows are given that a settlement writes, in statements that run together in one round trip: they touch different tables. */
type RowsOf = PreparedRows['source'];

export type Written = Extract<RecordSettlement, { kind: 'succeeded' }>;
export type Failure = Extract<RecordSettlement, { kind: 'failed' | 'unknown' }>;

export const isWritten = (record: RecordSettlement): record is Written => record.kind === 'succeeded';
export const isFailure = (record: RecordSettlement): record is Failure =>
  record.kind === 'failed' || record.kind === 'unknown';

/** The records of a settlement that have one outcome. */
interface Outcome extends CallKey, Pick<Settlement, 'fence' | 'isCreate' | 'laneId' | 'objectName'> {
  readonly outcome: (Written | Failure)['kind'];
  readonly records: readonly (Written | Failure)[];
}

const outcomeColumns: Column<Outcome>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (o) => o.fence),
  column('outcome', 'text', (o) => o.outcome),
  column('record_indexes', 'text', (o) => indexesText(o.records)),
  column('provider_ids', 'text', (o) => textArray(o.records.map((r) => (isWritten(r) ? r.providerId : null)))),
  column('error_classes', 'text', (o) => textArray(o.records.map((r) => (isFailure(r) ? r.error.class : null)))),
  column('error_texts', 'text', (o) => textArray(o.records.map((r) => (isFailure(r) ? r.error.text : null)))),
  column('warnings', 'text', (o) => textArray(o.records.map(warningsOf))),
  column('lane_id', 'text', (o) => (makesRecords(o) ? o.laneId : null)),
  column('object_name', 'text', (o) => (makesRecords(o) ? o.objectName : null)),
];

function indexesText(records: readonly { readonly index: number }[]): string {
  return `{${records.map(({ index }) => index).join(',')}}`;
}

function warningsOf(record: Written | Failure): string | null {
  if (!isWritten(record) || record.warnings === undefined || record.warnings.length === 0) return null;
  return JSON.stringify(record.warnings);
}

function makesRecords({ isCreate, outcome }: Outcome): boolean {
  return isCreate && outcome === 'succeeded';
}

function outcomesOf(settlement: Settlement): Outcome[] {
  const ended = settlement.records.filter((record) => record.kind !== 'again');
  return [...Map.groupBy(ended, ({ kind }) => kind)].map(([outcome, records]) => ({ ...settlement, outcome, records }));
}

/** One row for the records of a call that end alike; no record is written. @param within SQL condition: which of the rows `i` are inserted */
export function insertOutcomes(held: readonly Settlement[], source: RowsOf, within = 'true'): RowSource {
  const input = source('i', outcomeColumns, held.flatMap(outcomesOf));
  const sql = `
    insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids, error_classes,
                          error_texts, warnings, lane_id, object_name)
    select i.project_id, i.operation_id, i.number, i.fence, i.outcome, i.record_indexes::integer[], i.provider_ids::text[],
           i.error_classes::text[], i.error_texts::text[], i.warnings::text[], i.lane_id, i.object_name
    from ${input.sql} where ${within}`;
  return { sql, bindings: input.bindings };
}

type SettledRecord = RecordSettlement &
  CallKey & { readonly isCreate: boolean; readonly wasSent: boolean; readonly barrierMs: number | undefined };

const recordColumns: Column<SettledRecord>[] = [
  column('project_id', 'text', (r) => r.projectId),
  column('operation_id', 'text', (r) => r.operationId),
  column('record_index', 'integer', (r) => r.index),
  column('is_ended', 'boolean', (r) => r.kind !== 'again'),
  column('send_state', 'text', sendStateOf),
  column('is_untried', 'boolean', (r) => r.kind === 'again' && r.isUntried === true),
  column('error_class', 'text', (r) => (r.kind === 'again' ? r.error?.class : null)),
  column('error_text', 'text', (r) => (r.kind === 'again' ? r.error?.text : null)),
  column('barrier_ms', 'float8', (r) => (mayStillBeApplied(r) ? r.barrierMs : null)),
];

function mayStillBeApplied(record: RecordSettlement): boolean {
  return record.kind === 'unknown' || (record.kind === 'again' && record.sendState === 'maybe');
}

/** Null: as before. What ends because its deadline has passed was not in the attempt. */
function sendStateOf(record: SettledRecord): string | null {
  if (record.kind === 'again') return record.sendState;
  if (record.kind === 'succeeded' && record.isCreate) return record.isAdopted === true ? 'maybe' : 'sent';
  const wasSent = record.wasSent && (record.kind === 'succeeded' || record.error.class !== 'deadline');
  return wasSent ? 'sent' : null;
}

/** The records of settlements, each found by its key however the statement is planned, with what is to be written of them. */
export function findSettled(held: readonly Settlement[], timeScale: number, source: RowsOf): RowSource {
  const rows = held.flatMap(({ projectId, operationId, number, isCreate, attempt, barrierMs, records }) =>
    records.map((record): SettledRecord => ({
      ...record,
      projectId,
      operationId,
      number,
      isCreate,
      wasSent: attempt !== undefined,
      barrierMs: barrierMs && barrierMs / timeScale,
    })),
  );
  const { sql, bindings } = source('i', recordColumns, rows);
  const found = `
    select i.*, r.order_key, r.accept_seq, r.is_unanswered from ${sql} cross join lateral (
      select order_key, accept_seq, is_unanswered from records
      where project_id = i.project_id and operation_id = i.operation_id and record_index = i.record_index limit 1) r`;
  return { sql: found, bindings };
}

/**
 * SQL: what is tried again says with which error, and whether it may have been written. What ends is written only where others find it as one that was
 * sent and has no outcome. @param found rows of `findSettled`
 */
export const updateRecordsSql = (found: string): string => `
  update records r set send_state = coalesce(i.send_state, r.send_state), is_unanswered = not i.is_ended and i.send_state <> 'none',
         first_sent_at = case when not i.is_untried then r.first_sent_at end, error_class = i.error_class, error_text = i.error_text
  from ${found} i
  where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
    and (not i.is_ended or i.is_unanswered)`;

export const fenceColumn = column<Settlement>('fence', 'bigint', (s) => s.fence);

/** How an attempt ended. */
export const attemptColumns: readonly Column<Settlement>[] = [
  column('was_sent', 'boolean', (s) => s.attempt !== undefined),
  column('status', 'integer', (s) => s.attempt?.status),
  column('provider_request_id', 'text', (s) => s.attempt?.providerRequestId),
  column('error_class', 'text', (s) => s.attempt?.error?.class),
  column('error_text', 'text', (s) => s.attempt?.error?.text),
  column('duration_ms', 'integer', (s) => (s.attempt === undefined ? null : Math.round(s.attempt.durationMs))),
];

/** What a call `c` was sent with, beside its key. Null members: it was not. */
export const intentSql = 'c.owner, c.sent_at, c.sent_members';

/** SQL that inserts the attempts of the settlements `i`, which have their key, their fence, `attemptColumns`, and `intentSql` of their calls. */
export function insertAttemptsSql(settlements: string): string {
  return `
    insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at, finished_at, status,
                          provider_request_id, error_class, error_text, duration_ms)
    select i.project_id, i.operation_id, i.number, i.fence, i.owner, i.sent_members, i.sent_at, case when i.was_sent then now() end, i.status,
           i.provider_request_id, i.error_class, i.error_text, i.duration_ms
    from ${settlements} where i.sent_members is not null`;
}

export function insertAttempts(held: readonly Settlement[], source: RowsOf): RowSource {
  const { sql, bindings } = source('i', [...callKeyColumns, fenceColumn, ...attemptColumns], held);
  const sent = `(select i.*, ${intentSql} from ${sql}
    join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number) i`;
  return { sql: insertAttemptsSql(sent), bindings };
}

const moveColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  // After a split the records are in other calls.
  column('state', 'text', (s) => (s.next.state === 'split' ? 'done' : s.next.state)),
  column('delay_ms', 'float8', (s) => ('delayMs' in s.next ? s.next.delayMs : 0)),
  column('was_sent', 'boolean', (s) => s.attempt !== undefined),
  // Of a call that is over no record is left, whichever they were.
  column('ended', 'text', (s) => ('delayMs' in s.next ? membersText(endedIndexes(s)) : '{}')),
];

function endedIndexes({ records }: Settlement): number[] {
  return records.flatMap(({ kind, index }) => (kind === 'again' ? [] : [index]));
}

/**
 * Its members are left to what has no outcome. A recorded outcome clears `sent_at` and the crash count. A call in doubt keeps `sent_at`: its next
 * lapse must not send. A completed lookup resets the crashes counted during lookups, which this call evidently did not cause, and keeps those of
 * sends. Otherwise a create that kills its sender each time would be sent again until its deadline.
 */
export function moveCalls(held: readonly Settlement[], source: RowsOf): RowSource {
  const input = source('i', moveColumns, held);
  const sql = `
    update calls c set state = i.state, not_before = now() + make_interval(secs => i.delay_ms / 1000),
           members = case when i.state in ('done', 'quarantined') then '{}' when i.ended = '{}' then c.members
             else array(select r.record_index from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
                          and ${isInCall('r', 'c')} and r.record_index <> all(i.ended::integer[]) order by 1) end,
           sent_at = case when i.state = 'in_doubt' then c.sent_at end, sent_members = null, sent_fingerprints = null,
           crash_count = case when i.was_sent then 0 else c.crash_count - c.look_crashes end, look_crashes = 0,
           lease_until = null, owner = null
    from ${input.sql}
    where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number`;
  return { sql, bindings: input.bindings };
}
