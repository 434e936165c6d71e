import { limits, statusOf, type OperationPhase, type OperationProgress, type OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import { isFullSql } from '../writes/close-batch';
import { withOutcome } from './operation-row';
import { moment, momentSql, optional, plain, shownAs, table, type StoredRow } from '../table';

const phases: Record<OperationState, OperationPhase> = {
  accumulating: 'accumulating',
  queued: 'queued',
  succeeded: 'ended',
  failed: 'ended',
};

const progress = table({
  operationId: plain('id'),
  status: shownAs('state', statusOf),
  phase: shownAs('state', (state: OperationState) => phases[state]),
  type: plain('type'),
  mode: plain('mode'),
  batch: optional(plain<NonNullable<OperationProgress['batch']>>('batch')),
  records: plain<OperationProgress['records']>('records'),
  calls: plain<OperationProgress['calls']>('calls'),
  nextAttemptTime: optional(moment('next_attempt_at')),
  cancelRequestTime: optional(moment('cancel_requested_at')),
  retryMs: optional(plain<number>('retry_ms')),
  replayOf: optional(plain('replay_of')),
  laneId: plain('lane_id'),
  laneBlockedUntil: optional(moment('blocked_until')),
});

/** One statement over the rows of one operation: at most 100 records, and a call for each at most but for halves. */
export async function readProgress(
  database: Knex,
  projectId: string,
  operationId: string,
): Promise<OperationProgress | undefined> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(progressSql, { projectId, operationId });
  return rows[0] && progress.read(rows[0]);
}

const ofOutcome = (outcome: string): string =>
  `'${outcome}', (count(*) filter (where coalesce(e.outcome, 'pending') = '${outcome}'))::integer`;
const ofState = (name: string, condition: string): string =>
  `'${name}', (count(*) filter (where c.state = ${condition}))::integer`;

const ofOutcomes = ['pending', 'succeeded', 'failed', 'unknown'].map(ofOutcome).join(', ');
const ofStates = [
  ofState('ready', `'ready' and c.not_before <= now()`),
  ofState('retrying', `'ready' and c.not_before > now()`),
  ofState('running', `'running'`),
  ofState('inDoubt', `'in_doubt'`),
  ofState('waiting', `'waiting'`),
  ofState('done', `'done'`),
  ofState('quarantined', `'quarantined'`),
].join(', ');

const progressSql = `
  select o.id, o.type, o.mode, o.state, o.cancel_requested_at, o.lane_id, o.replay_of,
         case when o.due_at is not null then json_build_object(
           'recordsMax', ${limits.autoBatchRecordsMax}, 'dueTime', ${momentSql('o.due_at')}, 'isFull', ${isFullSql('o')}) end as batch,
         (select l.blocked_until from lanes l where l.project_id = o.project_id and l.id = o.lane_id
            and l.blocked_until > now()) as blocked_until,
         (select json_build_object('total', count(*)::integer, ${ofOutcomes})
            from records r ${withOutcome} where r.project_id = o.project_id and r.operation_id = o.id) as records,
         (select min(r.retry_ms)::integer from records r where r.project_id = o.project_id and r.operation_id = o.id) as retry_ms,
         k.calls, k.next_attempt_at
  from operations o cross join lateral (
    select min(c.not_before) filter (where c.state = 'ready' and c.not_before > now()) as next_attempt_at,
           json_build_object(${ofStates}) as calls
    from calls c where c.project_id = o.project_id and c.operation_id = o.id) k
  where o.project_id = :projectId and o.id = :operationId`;
