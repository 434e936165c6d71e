import type { Knex } from 'knex';
import { isInCall } from '../writes/write-rows';
import { withOutcome } from './operation-row';

/** What happened to an operation. Facts are counts, our names, and the provider's id of its request; no field value. */
export interface OperationEvent {
  readonly at: Date;
  readonly kind: OperationEventKind;
  readonly facts: Readonly<Record<string, string | number>>;
  /** Where it stands among the operation's events: moment, rank at that moment, and a text that differs within both. */
  readonly position: EventPosition;
}

export interface EventPosition {
  readonly micros: string;
  readonly rank: number;
  readonly tie: string;
}

/** Which events of an operation. */
export interface EventPage {
  /** @default from the first on */
  readonly after?: EventPosition;
  readonly limit: number;
}

export type OperationEventKind =
  | 'accepted'
  | 'sealed'
  | 'sent'
  | 'answered'
  | 'answered-late'
  | 'divided'
  | 'waits'
  | 'in-doubt'
  | 'reconciled'
  | 'quarantined'
  | 'cancel-requested'
  | 'records-failed'
  | 'ended'
  | 'replayed';

/** Attempts of one operation that are read, the newest: 100 calls, each tried for 48 hours, would be 19,000. */
const attemptsMax = 1_000;

/**
 * The events of an operation in the order they happened, from what its tables hold. The provider's texts are left out: they may
 * repeat a record's values.
 */
export async function readHistory(
  database: Knex,
  projectId: string,
  operationId: string,
  { after, limit }: EventPage,
): Promise<OperationEvent[]> {
  const { micros = null, rank = null, tie = null } = after ?? {};
  const bindings = { projectId, operationId, attemptsMax, micros, rank, tie, limit };
  return (await database.raw<{ rows: OperationEvent[] }>(historySql, bindings as never)).rows;
}

const historySql = `
  with o as materialized (select * from operations where project_id = :projectId and id = :operationId),
  k as materialized (select * from calls where project_id = :projectId and operation_id = :operationId),
  r as materialized (select r.record_index, coalesce(e.call_number, k.number) as call_number, e.outcome, e.error_class, r.replayed_by, e.ended_at
    from records r ${withOutcome} left join k on ${isInCall('r', 'k')} where r.project_id = :projectId and r.operation_id = :operationId),
  numbered as (
    select a.*, row_number() over (partition by call_number order by fence) as number,
           lead(fence) over (partition by call_number order by fence) is null as is_last
    from sent_attempts a where a.project_id = :projectId and a.operation_id = :operationId),
  t as materialized (select * from numbered order by sent_at desc limit :attemptsMax),
  open_doubt as (
    select t.*, k.state, k.type from t join k on k.number = t.call_number
    where t.is_last and (t.finished_at is null or t.late_evidence is not null
      or (k.type = 'create' and t.error_class in ('unknown', 'timeout'))))
  select at, kind, facts, json_build_object('micros', micros, 'rank', rank, 'tie', tie) as position from (
  select at, kind, json_strip_nulls(facts) as facts, rank, (extract(epoch from at) * 1000000)::bigint::text as micros,
         (coalesce(lpad(facts->>'call', 6, '0'), '') || left(md5(kind || facts::text), 8)) collate "C" as tie from (
    select 1 as rank, created_at as at, 'accepted' as kind,
           json_build_object('mode', mode, 'type', type, 'objectName', object_name, 'dueAt', due_at, 'replayOf', replay_of) as facts from o
    union all
    select 2, cancel_requested_at, 'cancel-requested', json_build_object() from o where cancel_requested_at is not null
    union all
    select 3, min(k.created_at), 'sealed', json_build_object('records', min(o.records_total), 'calls', count(*))
      from o join k on true where o.mode = 'auto-batched' and k.created_at = (select min(created_at) from k) having count(*) > 0
    union all
    select 4, sent_at, 'sent', json_build_object('call', call_number, 'attempt', number,
           'records', cardinality(record_indexes)) from t
    union all
    select 5, finished_at, case when late_evidence is null then 'answered' else 'answered-late' end,
           json_build_object('call', call_number, 'attempt', number, 'status', status, 'class', error_class,
             'providerRequestId', provider_request_id, 'durationMs', duration_ms) from t where finished_at is not null
    union all
    -- A whole call that was refused is over, and records of it are in other calls.
    select 6, t.finished_at, 'divided', json_build_object('call', t.call_number, 'records', count(*))
      from t join k on k.number = t.call_number and k.state = 'done'
      join r on r.record_index = any(t.record_indexes) and r.call_number <> t.call_number
      where t.is_last and t.error_class = 'rejected' group by t.call_number, t.finished_at
    union all
    select 6, sent_at, 'in-doubt', json_build_object('call', call_number, 'attempt', number)
      from open_doubt where state = 'in_doubt'
    union all
    select 6, coalesce((select max(r.ended_at) from r where r.call_number = d.call_number), d.sent_at), 'reconciled',
           json_build_object('call', d.call_number, 'attempt', d.number) from open_doubt d where d.state = 'done'
    union all
    select 7, t.finished_at, 'waits', json_build_object('call', k.number, 'until', k.not_before)
      from k join t on t.call_number = k.number and t.is_last
      where k.state = 'ready' and k.not_before > now() and t.finished_at is not null
    union all
    select 8, q.created_at, 'quarantined', json_build_object('call', q.call_number) from quarantine q
      where q.project_id = :projectId and q.operation_id = :operationId
    union all
    select 9, max(r.ended_at), 'records-failed', json_build_object('outcome', outcome, 'class', error_class, 'records', count(*))
      from r where outcome in ('failed', 'unknown') group by outcome, error_class
    union all
    select 10, updated_at, 'ended', json_build_object('state', state, 'succeeded', records_succeeded, 'failed', records_failed)
      from o where state in ('succeeded', 'failed')
    union all
    select 11, p.created_at, 'replayed', json_build_object('replayedBy', p.id, 'records', p.records_total)
      from operations p where p.project_id = :projectId and p.id in (select replayed_by from r where replayed_by is not null)
  ) happened where at is not null) events
  where :micros::text is null or (micros::bigint, rank, tie) > (:micros::bigint, :rank::integer, :tie::text)
  order by micros::bigint, rank, tie limit :limit`;
