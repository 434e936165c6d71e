import { limits, statusOf, type OperationPhase, type OperationProgress, type OperationState } from '@sluice/types';
import type { Knex } from 'knex';

interface ProgressRow {
  readonly id: string;
  readonly type: string;
  readonly mode: string;
  readonly state: OperationState;
  readonly due_at: Date | null;
  readonly is_full: boolean;
  readonly cancel_requested_at: Date | null;
  readonly lane_id: string;
  readonly blocked_until: Date | null;
  readonly next_attempt_at: Date | null;
  readonly records: OperationProgress['records'];
  readonly calls: OperationProgress['calls'];
}

/** One statement over the rows of one operation: at most 100 records, and a call for each at most but for halves. */
export async function readProgress(
  database: Knex,
  projectId: string,
  operationId: string,
): Promise<OperationProgress | undefined> {
  const { rows } = await database.raw<{ rows: ProgressRow[] }>(progressSql, { projectId, operationId });
  return rows[0] && toProgress(rows[0]);
}

const ofOutcome = (outcome: string): string =>
  `'${outcome}', (count(*) filter (where r.outcome = '${outcome}'))::integer`;
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
  select o.id, o.type, o.mode, o.state, o.due_at, o.is_full, o.cancel_requested_at, o.lane_id,
         (select l.blocked_until from lanes l where l.project_id = o.project_id and l.id = o.lane_id
            and l.blocked_until > now()) as blocked_until,
         (select json_build_object('total', count(*)::integer, ${ofOutcomes})
            from records r where r.project_id = o.project_id and r.operation_id = o.id) as records,
         k.calls, k.next_attempt_at
  from operations o cross join lateral (
    select min(c.not_before) filter (where c.state = 'ready' and c.not_before > now()) as next_attempt_at,
           json_build_object(${ofStates}) as calls
    from calls c where c.project_id = o.project_id and c.operation_id = o.id) k
  where o.project_id = :projectId and o.id = :operationId`;

const phases: Record<OperationState, OperationPhase> = {
  accumulating: 'accumulating',
  queued: 'queued',
  succeeded: 'ended',
  failed: 'ended',
};

function toProgress(row: ProgressRow): OperationProgress {
  return {
    operationId: row.id,
    status: statusOf(row.state),
    phase: phases[row.state],
    type: row.type,
    mode: row.mode,
    ...(row.due_at === null ? {} : { batch: batchOf(row.due_at, row.is_full) }),
    records: row.records,
    calls: row.calls,
    ...(row.next_attempt_at === null ? {} : { nextAttemptTime: row.next_attempt_at.toISOString() }),
    ...(row.cancel_requested_at === null ? {} : { cancelRequestTime: row.cancel_requested_at.toISOString() }),
    laneId: row.lane_id,
    ...(row.blocked_until === null ? {} : { laneBlockedUntil: row.blocked_until.toISOString() }),
  };
}

function batchOf(dueAt: Date, isFull: boolean): OperationProgress['batch'] {
  return { recordsMax: limits.autoBatchRecordsMax, dueTime: dueAt.toISOString(), isFull };
}
