import type { SendState, WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { type StoredRow, plain, shownAs, table } from '../table';
import type { Page, Step } from './find-ready-lanes';
import { lastErrorSql } from './load-records';
import type { RecordError } from './settlement';
import { type CallKeyRow, type OperationKey, callKeyMembers, isInCall } from './write-rows';

/** The error of the unsent records of a cancelled operation. */
export const cancelledError: RecordError = { class: 'cancelled', text: 'The operation was cancelled.' };

/** Calls of one claim: their settlement is one transaction. */
const callsMax = 200;

/** A record that ends with its operation's cancel. */
export interface CancelledRecord {
  readonly index: number;
  readonly sendState: SendState;
  readonly orderKey?: string;
  readonly lastError?: { readonly class: string; readonly text: string };
}

/** A call that was not being sent when its operation was cancelled, under a lease to end it. */
const cancelledCalls = table({
  ...callKeyMembers,
  laneId: plain('lane_id'),
  fence: shownAs('fence', Number),
  type: plain<WriteType>('type'),
  objectName: plain('object_name'),
  records: plain<readonly CancelledRecord[]>('records'),
});

export type CancelledCall = ReturnType<typeof cancelledCalls.read>;

/** The last operation that a step read. */
export type CancelledCursor = OperationKey;

/** Who ends what is found, and where the step begins: `limit` counts operations. */
export interface CancelledRequest extends Page<CancelledCursor> {
  readonly owner: string;
  readonly leaseMs: number;
}

/**
 * Claims the calls of cancelled operations that wait: for capacity, for their moment, behind another write, or behind a block of
 * their lane. What runs finishes, what is in doubt is reconciled first; if either is to be tried again, it is found here then.
 */
export async function claimCancelled(
  database: Knex,
  { owner, leaseMs, after = { projectId: '', operationId: '' }, limit }: CancelledRequest,
): Promise<Step<CancelledCall, CancelledCursor>> {
  const result = await database.raw<{ rows: (StoredRow & CallKeyRow)[] }>(
    `with cancelled as materialized (
       select project_id, operation_id as id from cancels
       where (project_id, operation_id) > (?, ?) order by project_id, operation_id limit ?),
     waiting as (
       select c.project_id, c.operation_id, c.number from cancelled o
       join calls c on c.project_id = o.project_id and c.operation_id = o.id
       where c.state in ('ready', 'waiting') order by 1, 2, 3 limit ? for update of c skip locked),
     taken as (update calls c set state = 'running', owner = ?, fence = c.fence + 1,
                      lease_until = now() + make_interval(secs => ?::float8 / 1000)
       from waiting w where c.project_id = w.project_id and c.operation_id = w.operation_id and c.number = w.number
       returning c.*)
     select o.project_id, o.id as operation_id, t.number, t.lane_id, t.fence, t.type, t.object_name,
            (select coalesce(json_agg(json_strip_nulls(json_build_object('index', r.record_index, 'sendState', r.send_state,
                      'orderKey', r.order_key, 'lastError', ${lastErrorSql('r')}))), '[]')
             from records r where r.project_id = t.project_id and r.operation_id = t.operation_id
               and ${isInCall('r', 't')}) as records
     from cancelled o left join taken t on t.project_id = o.project_id and t.operation_id = o.id
     order by o.project_id, o.id, t.number`,
    [after.projectId, after.operationId, limit, callsMax, owner, leaseMs],
  );
  // An operation without a call to end gives one row all the same: it shows how far the step went.
  const found = result.rows.filter(({ number }) => number !== null).map(cancelledCalls.read);
  return { found, ...nextOf(result.rows, { after, limit, isCut: found.length === callsMax }) };
}

/** A step that reached its limit of calls continues at the same operation: those it has claimed wait no more. */
function nextOf(
  rows: readonly CallKeyRow[],
  { after, limit, isCut }: { after: CancelledCursor; limit: number; isCut: boolean },
): { next?: CancelledCursor } {
  if (isCut) return { next: after };
  const last = rows.at(-1);
  const operationsRead = new Set(rows.map((row) => row.operation_id)).size;
  return last === undefined || operationsRead < limit
    ? {}
    : { next: { projectId: last.project_id, operationId: last.operation_id } };
}
