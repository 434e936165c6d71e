import { newId } from '../new-id';
import { healSucceededSql } from '../health';
import { operationEventColumns, operationEventSql } from '../webhooks/notify';
import { type CountedRow, countCallsSql } from './end-operations';
import { leaveQueueSql, raiseBarriersSql } from './order-queue';
import type { RecordSettlement, Settlement } from './settlement';
import { type CallKey, callKeyColumns, isInCall, membersText } from './write-rows';
import { type Column, type RowSource, column, preparedRows, textArray } from '../row-source';
import type { StoredRow } from '../table';

/*
 * The statement that settles calls. Its parts touch different tables. `settleWhole` runs it alone, for calls that are all of their operation.
 * `settleTogether` runs it in a transaction, for all other calls.
 */

export type Written = Extract<RecordSettlement, { kind: 'succeeded' }>;
export type Failure = Extract<RecordSettlement, { kind: 'failed' | 'unknown' }>;

export const isWritten = (record: RecordSettlement): record is Written => record.kind === 'succeeded';
const isFailure = (record: RecordSettlement): record is Failure =>
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
  column('problems', 'text', (o) =>
    textArray(o.records.map((r) => (isFailure(r) ? listText(r.error.problems) : null))),
  ),
  column('warnings', 'text', (o) => textArray(o.records.map((r) => (isWritten(r) ? listText(r.warnings) : null)))),
  column('lane_id', 'text', (o) => (makesRecords(o) ? o.laneId : null)),
  column('object_name', 'text', (o) => (makesRecords(o) ? o.objectName : null)),
];

function indexesText(records: readonly { readonly index: number }[]): string {
  return `{${records.map(({ index }) => index).join(',')}}`;
}

/** A list as JSON; null where there is none. */
function listText(list: readonly unknown[] = []): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

function makesRecords({ isCreate, outcome }: Outcome): boolean {
  return isCreate && outcome === 'succeeded';
}

function outcomesOf(settlement: Settlement): Outcome[] {
  const ended = settlement.records.filter((record) => record.kind !== 'again');
  return [...Map.groupBy(ended, ({ kind }) => kind)].map(([outcome, records]) => ({ ...settlement, outcome, records }));
}

/** SQL condition: a row `i` with the key and the fence of a call belongs to a call that this statement settles. */
const isHeldSql =
  '(i.project_id, i.operation_id, i.number, i.fence) in (select project_id, operation_id, number, fence from held)';

/** One row for the records of a call that end alike; no record is written. */
function insertOutcomes(settlements: readonly Settlement[]): RowSource {
  const input = preparedRows('i', outcomeColumns, settlements.flatMap(outcomesOf));
  const sql = `
    insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids, error_classes,
                          error_texts, problems, warnings, lane_id, object_name)
    select i.project_id, i.operation_id, i.number, i.fence, i.outcome, i.record_indexes::integer[], i.provider_ids::text[],
           i.error_classes::text[], i.error_texts::text[], i.problems::text[], i.warnings::text[], i.lane_id, i.object_name
    from ${input.sql} where ${isHeldSql}`;
  return { sql, bindings: input.bindings };
}

type SettledRecord = RecordSettlement &
  CallKey & {
    readonly fence: number;
    readonly isCreate: boolean;
    readonly wasSent: boolean;
    readonly barrierMs: number | undefined;
  };

const recordColumns: Column<SettledRecord>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (r) => r.fence),
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

/**
 * A record that is tried again says with which error, and whether it may have been written. One that ends is written only where others find it as sent
 * and without an outcome.
 */
const updateRecordsSql = `
  update records r set send_state = coalesce(i.send_state, r.send_state), is_unanswered = not i.is_ended and i.send_state <> 'none',
         first_sent_at = case when not i.is_untried then r.first_sent_at end, error_class = i.error_class, error_text = i.error_text
  from found i
  where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
    and (not i.is_ended or i.is_unanswered)`;

/** SQL of further parts, for records that wait for each other or are tried again. Each is found by its key however the statement is planned. */
function settleRecords(settlements: readonly Settlement[], { isWhole, timeScale }: Held): RowSource {
  const rows = settlements.flatMap(({ projectId, operationId, number, fence, isCreate, attempt, barrierMs, records }) =>
    records.map((record): SettledRecord => ({
      ...record,
      projectId,
      operationId,
      number,
      fence,
      isCreate,
      wasSent: attempt !== undefined,
      barrierMs: barrierMs && barrierMs / timeScale,
    })),
  );
  const input = preparedRows('i', recordColumns, rows);
  const sql = `,
      found as materialized (
        select i.*, r.order_key, r.accept_seq, r.is_unanswered from ${input.sql} cross join lateral (
          select order_key, accept_seq, is_unanswered from records
          where project_id = i.project_id and operation_id = i.operation_id and record_index = i.record_index limit 1) r
        where ${isHeldSql}),
      ${isWhole ? '' : `updated as (${updateRecordsSql}),`}
      barred as (${raiseBarriersSql('found')}),
      released as (${leaveQueueSql('found')})`;
  return { sql, bindings: input.bindings };
}

/** One row for each settlement: how its attempt ended, and what its operation counts. */
export const settlementColumns: readonly Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('was_sent', 'boolean', (s) => s.attempt !== undefined),
  column('status', 'integer', (s) => s.attempt?.status),
  column('provider_request_id', 'text', (s) => s.attempt?.providerRequestId),
  column('error_class', 'text', (s) => s.attempt?.error?.class),
  column('error_text', 'text', (s) => s.attempt?.error?.text),
  column('duration_ms', 'integer', (s) => (s.attempt === undefined ? null : Math.round(s.attempt.durationMs))),
  column('succeeded', 'integer', ({ records }) => records.filter(isWritten).length),
  column('failed', 'integer', ({ records }) => records.filter(isFailure).length),
];

/** Of a settlement that ends its operation: the first failure. */
export const endingColumns: readonly Column<Settlement>[] = [
  column('first_index', 'integer', (s) => firstFailure(s)?.index),
  column('first_text', 'text', (s) => firstFailure(s)?.error.text),
];

/** Names what is reported to the endpoints of a project. */
export const eventColumn = column<Settlement>('event_id', 'text', newId);

/** Of any other settlement: where its call goes. */
export const nextColumns: readonly Column<Settlement>[] = [
  // After a split the records are in other calls.
  column('state', 'text', ({ next }) => (next.state === 'split' ? 'done' : next.state)),
  column('delay_ms', 'float8', ({ next }) => ('delayMs' in next ? next.delayMs : 0)),
  // Of a call that is over no record is left, whichever they were.
  column('ended', 'text', (s) => ('delayMs' in s.next ? membersText(endedIndexes(s)) : '{}')),
  column('calls_done', 'integer', callsDone),
];

function endedIndexes({ records }: Settlement): number[] {
  return records.flatMap(({ kind, index }) => (kind === 'again' ? [] : [index]));
}

/** Calls that ended, less those that are opened for the records they left. */
function callsDone({ next }: Settlement): number {
  if (next.state === 'split') return 1 - next.parts.length;
  return 'delayMs' in next ? 0 : 1;
}

function firstFailure({ records }: Settlement): Failure | undefined {
  return records.filter(isFailure).sort((one, other) => one.index - other.index)[0];
}

/** What a call `c` was sent with. Null members: it was not sent. */
export const intentSql = 'c.owner, c.sent_at, c.sent_members';

const insertAttemptsSql = `
  insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at, finished_at, status,
                        provider_request_id, error_class, error_text, duration_ms)
  select i.project_id, i.operation_id, i.number, i.fence, i.owner, i.sent_members, i.sent_at, case when i.was_sent then now() end, i.status,
         i.provider_request_id, i.error_class, i.error_text, i.duration_ms
  from held i where i.sent_members is not null`;

/** How a call ends with its operation. */
const wholeMoveSql = `state = 'done', members = '{}', sent_at = null, crash_count = 0`;

/**
 * Its members are left to what has no outcome. A recorded outcome clears `sent_at` and the crash count. A call in doubt keeps `sent_at`: its next
 * lapse must not send. A completed lookup resets the crashes counted during lookups, which this call evidently did not cause, and keeps those of
 * sends. Otherwise a create that kills its sender each time would be sent again until its deadline.
 */
const nextMoveSql = `state = i.state, not_before = now() + make_interval(secs => i.delay_ms / 1000),
         members = case when i.state in ('done', 'quarantined') then '{}' when i.ended = '{}' then c.members
           else array(select r.record_index from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
                        and ${isInCall('r', 'c')} and r.record_index <> all(i.ended::integer[]) order by 1) end,
         sent_at = case when i.state = 'in_doubt' then c.sent_at end,
         crash_count = case when i.was_sent then 0 else c.crash_count - c.look_crashes end`;

const moveCallsSql = (isWhole: boolean): string => `
  update calls c set ${isWhole ? wholeMoveSql : nextMoveSql},
         sent_members = null, sent_fingerprints = null, look_crashes = 0, lease_until = null, owner = null
  from held i
  where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number`;

/** The calls that a statement settles, as SQL of rows of `settlementColumns` with `intentSql`, and how. */
interface Held extends RowSource {
  readonly timeScale: number;
  /** Each is all of its operation, which ends with it, at the first attempt. The rows have `endingColumns`, and else `nextColumns`. */
  readonly isWhole: boolean;
  /** Records are tried again, or wait for each other. */
  readonly isOrdered: boolean;
  /** Endpoints may be notified of these ends. The rows have `eventColumn`. */
  readonly isNotified: boolean;
}

/** Rows like those of `record_outcomes`, of what the statement stores. */
const storedOutcomesSql = `(
  select s.project_id, s.operation_id, s.outcome, e.record_index, e.provider_id, e.error_class, e.problems
  from stored s cross join unnest(s.record_indexes, s.provider_ids, s.error_classes, s.problems)
    as e (record_index, provider_id, error_class, problems))`;

/** A call that waited and may go now: see `releasedCalls`. */
type ReleasedRow = StoredRow & { readonly lane_id: string };

/** An operation that has counted its calls, or, with its lane, a released call. */
export type SettledRow = (CountedRow & { readonly lane_id: null }) | ReleasedRow;

export const isReleased = (row: SettledRow): row is ReleasedRow => row.lane_id !== null;
export const isCounted = (row: SettledRow): row is Exclude<SettledRow, ReleasedRow> => row.lane_id === null;

/** Writes outcomes, attempts and calls, and counts them in their operations. Returns `SettledRow`. */
export function settleStatement(settlements: readonly Settlement[], held: Held): RowSource {
  const outcomes = insertOutcomes(settlements);
  const records = held.isOrdered ? settleRecords(settlements, held) : { sql: '', bindings: [] };
  const shown = held.isNotified ? `, i.event_id, ${operationEventColumns}` : held.isWhole ? ', o.installation_id' : '';
  const ended = '(select c.*, c.operation_id as id from counted c)';
  const sql = `
    with held as materialized (${held.sql}),
      stored as (${outcomes.sql}${held.isNotified ? ' returning *' : ''}),
      attempted as (${insertAttemptsSql}),
      moved as (${moveCallsSql(held.isWhole)})${records.sql},
      counted as (${countCallsSql(held.isWhole)}${shown})
      ${held.isWhole ? `, healed as (${healSucceededSql('counted')})` : ''}
      ${held.isNotified ? `, notified as (${operationEventSql(ended, storedOutcomesSql)})` : ''}
    select project_id, operation_id, number, calls_open, state, result, records_failed,
           null as lane_id, null as installation_id, null as object_name, null as type, null as traceparent from counted
    ${held.isOrdered ? `union all select project_id, operation_id, number, null, null, null, null, lane_id, installation_id, object_name, type, traceparent from released` : ''}`;
  return { sql, bindings: [...held.bindings, ...outcomes.bindings, ...records.bindings] };
}
