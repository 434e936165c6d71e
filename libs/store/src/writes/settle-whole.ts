import type { OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import { isAwaitedSql } from '../webhooks/notify';
import { callId, callKeyColumns, toCallKey, type CallKeyRow } from './call-key';
import { endSql, toEnded } from './end-operations';
import { column, preparePlan, hiddenFromPlanner, type Column, type PreparedRows, type RowSource } from '../row-source';
import { closeAttempts, moveCalls, updateRecords } from './settled-rows';
import type { RecordSettlement, Settled, Settlement } from './settlement';

/**
 * Most calls are all of their operation and end at their first attempt: what is written of them then fits one statement, one round trip and
 * one commit, where `settleTogether` takes six. It settles what that would settle in the same way, behind the same fence, and leaves it
 * the rest: calls whose records wait for each other, adopt, or continue; operations of several calls; those with notifications, or with a request to cancel.
 */

type Failure = Extract<RecordSettlement, { kind: 'failed' | 'unknown' }>;

const isFailure = (record: RecordSettlement): record is Failure =>
  record.kind === 'failed' || record.kind === 'unknown';
const isWritten = (record: RecordSettlement): boolean => record.kind === 'succeeded' && record.isAdopted !== true;

/** Needs no lock on order keys, and no rows of others. */
function isPlain({ next, orderKeys, idempotency, records }: Settlement): boolean {
  const ends = next.state === 'done' && orderKeys.length === 0 && idempotency === undefined;
  return ends && records.every((record) => isFailure(record) || isWritten(record));
}

function firstFailure({ records }: Settlement): Failure | undefined {
  return records.filter(isFailure).sort((one, other) => one.index - other.index)[0];
}

const columns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('succeeded', 'integer', (s) => s.records.filter(isWritten).length),
  column('failed', 'integer', (s) => s.records.filter(isFailure).length),
  column('first_index', 'integer', (s) => firstFailure(s)?.index),
  column('first_text', 'text', (s) => firstFailure(s)?.error.text),
];

interface Claimed extends Pick<Settlement, 'projectId' | 'operationId' | 'laneId' | 'objectName'> {
  readonly providerId: string | undefined;
}

const claimedColumns: Column<Claimed>[] = [
  column('project_id', 'text', (c) => c.projectId),
  column('operation_id', 'text', (c) => c.operationId),
  column('lane_id', 'text', (c) => c.laneId),
  column('object_name', 'text', (c) => c.objectName),
  column('provider_id', 'text', (c) => c.providerId),
];

function claimedBy(settlement: Settlement): Claimed[] {
  if (!settlement.isCreate) return [];
  return settlement.records.flatMap((record) =>
    record.kind === 'succeeded' ? [{ ...settlement, providerId: record.providerId }] : [],
  );
}

const ending = { succeeded: 'w.succeeded', failed: 'w.failed', firstIndex: 'w.first_index', firstText: 'w.first_text' };

/**
 * Order: 1. each operation's row, then its call's, in id order: `whole` is what may be settled here, as these rows are at that moment.
 * 2. Records, attempts, calls. 3. The operations end.
 * @returns what was settled, by the id of the call; whatever is absent is untouched
 */
export async function settleWhole(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
): Promise<Map<string, Settled>> {
  const plain = settlements.filter(isPlain);
  if (plain.length === 0) return new Map();
  const keeping = preparePlan('settle-whole', plain.flatMap(({ records }) => records).length);
  const { sql, bindings } = wholeStatement(plain, timeScale, keeping);
  type Row = CallKeyRow & { id: string; state: OperationState; result: string };
  const settled = await database.raw<{ rows: Row[] }>(sql, bindings as Knex.Value[]).options(keeping.options);
  return new Map(
    settled.rows.map((row) => [callId(toCallKey(row)), { isHeld: true, ended: toEnded(row), released: [] }]),
  );
}

function wholeStatement(plain: readonly Settlement[], timeScale: number, { source }: PreparedRows): RowSource {
  const given = source('i', columns, plain);
  const claimed = source('n', claimedColumns, plain.flatMap(claimedBy));
  const scope = { source, within: '(i.project_id, i.operation_id) in (select project_id, operation_id from whole)' };
  const parts = [updateRecords(plain, timeScale, scope), closeAttempts(plain, scope), moveCalls(plain, scope)];
  const sql = `
    with whole as materialized (
       select i.* from ${given.sql}
       join operations o on o.project_id = i.project_id and o.id = i.operation_id and o.state = 'queued'
         and o.calls_open = 1 and o.cancel_requested_at is null and o.records_total = i.succeeded + i.failed
         and not ${isAwaitedSql}
       join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
         and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence
       where (i.project_id, i.operation_id) not in (
         select n.project_id, n.operation_id from ${claimed.sql}
         join records r on r.project_id = n.project_id and r.lane_id = n.lane_id and r.object_name = n.object_name
           and r.claimed_provider_id = n.provider_id)
       order by o.project_id, o.id for update of o, c),
     ${parts.map((part, at) => `part_${at} as (${part.sql})`).join(', ')}
     update operations o set calls_open = 0, records_succeeded = w.succeeded, records_failed = w.failed, updated_at = now(),
            ${endSql(ending)}
     from whole w where o.project_id = w.project_id and o.id = w.operation_id
     returning o.project_id, w.operation_id, w.number, o.id, o.state, o.result`;
  const bindings = [...given.bindings, ...claimed.bindings, ...parts.flatMap((part) => part.bindings)];
  return { sql, bindings };
}
