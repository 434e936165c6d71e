import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { type OperationMode, callKeyMembers } from './write-rows';
import { type LaneCapacity, type LaneKey, laneColumns } from './lanes';
import { type Column, column, preparedRows } from '../row-source';
import { type StoredRow, optional, plain, shownAs, table } from '../table';

export interface ClaimRequest {
  /** Names the process in `calls.owner`. */
  readonly owner: string;
  /** The lanes to claim from, those that have waited longest first. */
  readonly lanes: readonly LaneKey[];
  /** Calls at most, over all lanes. */
  readonly limit: number;
  /** Calls at once of a lane that has no cap of its own. */
  readonly perLane: number;
  readonly leaseMs: number;
  /** True: only calls that crashed an executor twice; the caller runs one of them alone. */
  readonly isolated: boolean;
}

/** A call under lease: who holds its fence may send and settle it. Its plans are loaded just before it is sent. */
const claimedCalls = table({
  ...callKeyMembers,
  laneId: plain('lane_id'),
  connectionId: plain('connection_id'),
  objectName: plain('object_name'),
  type: plain<WriteType>('type'),
  mode: plain<OperationMode>('mode'),
  allOrNone: plain<boolean>('all_or_none'),
  fence: shownAs('fence', Number),
  /** Sends made so far. */
  attempts: plain<number>('attempts'),
  crashCount: plain<number>('crash_count'),
  /** Sent before, outcome not known: reconcile, do not send. */
  isInDoubt: plain<boolean>('is_in_doubt'),
  traceparent: plain('traceparent'),
  /** Its lane has a cap of its own at this moment, because its account was slow or refused a call. */
  isNarrowed: optional(plain<true>('is_narrowed')),
  /** Its operation was cancelled: nothing of it is sent. */
  isCancelled: optional(plain<true>('is_cancelled')),
});

export interface ClaimedCall extends ReturnType<typeof claimedCalls.read> {
  /** Bytes of the plans that are loaded to send it, at most. Absent: not read. */
  readonly planBytes?: number;
  /** Its installation was deleted after it was accepted: nothing of it is sent. */
  readonly isUninstalled?: true;
  /** Its installation points at another connection than it was planned for: nothing of it is sent. */
  readonly isReconnected?: true;
  /** The revision of its integration in force at the claim, whose manifest must still declare the object. Absent: uninstalled. */
  readonly revisionId?: string;
}

const capacityColumns: Column<LaneCapacity>[] = [
  ...laneColumns,
  column('capacity', 'integer', (lane) => lane.capacity),
  column('is_narrowed', 'boolean', (lane) => lane.isNarrowed),
];

interface ClaimedRow extends StoredRow {
  readonly facts: readonly [connectionId: string, revisionId: string] | null;
}

/**
 * The connections that have calls waiting in a lane, found by jumping from one to the next over the index. So the calls that a refused connection
 * holds back are skipped in one jump, however many they are. The status is a scalar lookup per connection, which no plan turns into a scan.
 */
const lines = `
  line as (
    select i.ord, i.project_id, i.lane_id, i.capacity, i.is_narrowed, (select k.connection_id from calls k
      where k.project_id = i.project_id and k.lane_id = i.lane_id and k.state in ('ready', 'in_doubt')
      order by k.connection_id limit 1) as connection_id from requested i
    union all
    select l.ord, l.project_id, l.lane_id, l.capacity, l.is_narrowed, (select k.connection_id from calls k
      where k.project_id = l.project_id and k.lane_id = l.lane_id and k.state in ('ready', 'in_doubt')
        and k.connection_id > l.connection_id order by k.connection_id limit 1)
    from line l where l.connection_id is not null)`;

/** SQL: the calls of a line in this state whose moment has come. Isolated ones crash their executor: the condition is that of their index. */
function dueCalls(state: 'in_doubt' | 'ready', isolated: boolean): string {
  return `
    select * from (select k.project_id, k.operation_id, k.number, k.state as was, k.not_before from calls k
      where k.project_id = l.project_id and k.lane_id = l.lane_id and k.connection_id = l.connection_id
        and k.state = '${state}' and k.not_before <= now() and k.crash_count ${isolated ? '>= 2' : '< 2'}
      order by k.not_before limit l.capacity for update skip locked) ${state}`;
}

/**
 * Takes calls up to each lane's free capacity and the request's limit. Calls in doubt come first, because a caller may wait for their outcome, then
 * those that are ready, each in the order of their moments. Calls of a connection that the provider refuses are held back. Rows that are locked and
 * not taken are free again when the claim commits.
 */
export async function takeCalls(
  transaction: Knex.Transaction,
  request: ClaimRequest,
  lanes: readonly LaneCapacity[],
): Promise<ClaimedCall[]> {
  const input = preparedRows('i', capacityColumns, lanes);
  const taking = transaction.raw<{ rows: ClaimedRow[] }>(
    `with recursive requested as (select * from ${input.sql}), ${lines},
     ranked as (
       select c.*, l.ord, l.capacity, l.is_narrowed,
              row_number() over (partition by l.ord order by c.was = 'ready', c.not_before) as position
       from line l
       cross join lateral (${dueCalls('in_doubt', request.isolated)} union all ${dueCalls('ready', request.isolated)}) c
       where l.connection_id is not null and ${connectionIsUsable('l')}),
     picked as (select * from ranked where position <= capacity order by ord limit ?::integer)
     update calls c set state = 'running', owner = ?, fence = c.fence + 1,
            lease_until = now() + make_interval(secs => ?::float8 / 1000)
     from picked p where c.project_id = p.project_id and c.operation_id = p.operation_id and c.number = p.number
     returning c.project_id, c.operation_id, c.number, c.lane_id, c.connection_id, c.object_name, c.type, c.mode, c.all_or_none, c.fence,
       c.attempts, c.crash_count, c.traceparent, p.was = 'in_doubt' as is_in_doubt, nullif(p.is_narrowed, false) as is_narrowed, (
       select array[n.connection_id, g.latest_revision_id]
       from operations o join installations n on n.project_id = o.project_id and n.id = o.installation_id
       join integrations g on g.project_id = n.project_id and g.id = n.integration_id
       where o.project_id = c.project_id and o.id = c.operation_id) as facts,
       (select true from operations o
        where o.project_id = c.project_id and o.id = c.operation_id and o.cancel_requested_at is not null) as is_cancelled`,
    [...input.bindings, request.limit, request.owner, request.leaseMs] as Knex.Value[],
  );
  return (await taking.options({ name: request.isolated ? 'take-isolated' : 'take-calls' })).rows.map(toClaimedCall);
}

/** SQL: the provider does not refuse the connection of the row `alias`. One that is gone is usable, so that its calls are ended. */
export function connectionIsUsable(alias: string): string {
  return `coalesce((select n.status from connections n where n.project_id = ${alias}.project_id
    and n.id = ${alias}.connection_id), 'created') <> 'bad_credentials'`;
}

/** With what can have changed since the call was accepted, and only restricts it. */
function toClaimedCall(row: ClaimedRow): ClaimedCall {
  const call = claimedCalls.read(row);
  if (row.facts === null) return { ...call, isUninstalled: true };
  const [connectionId, revisionId] = row.facts;
  return { ...call, revisionId, ...(connectionId === call.connectionId ? {} : { isReconnected: true }) };
}
