import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { blockedMsSql } from '../connections/connection-row';
import { hiddenFromPlanner } from '../row-source';
import { type StoredRow, optional, plain, shownAs, table } from '../table';
import type { Page, Step } from './find-ready-lanes';
import { callKeyMembers, deadlineSql, isInCall } from './write-rows';

/** A call that is not sent any more, because its lane is blocked or its connection held back past the deadline. */
const overdueCalls = table({
  ...callKeyMembers,
  laneId: plain('lane_id'),
  fence: shownAs('fence', Number),
  type: plain<WriteType>('type'),
  objectName: plain('object_name'),
  traceparent: plain('traceparent'),
  /** Why, in a text for the caller. */
  reason: plain('reason'),
  /** Pending records past their deadline. `isSent`: bytes of it have left, so it may have been written. */
  records:
    plain<readonly { readonly index: number; readonly orderKey: string | null; readonly isSent: boolean }[]>('records'),
  /** Whose account its lane is. */
  provider: plain('provider'),
  /** The call was in doubt: what is left of it must be reconciled, not sent. */
  wasInDoubt: plain<boolean>('was_in_doubt'),
  /** Milliseconds until the call may run for the records that are not overdue; absent when none is left. */
  restInMs: optional(plain<number>('rest_in_ms')),
});

export type OverdueCall = ReturnType<typeof overdueCalls.read>;

/** Who ends what is found, and where the step begins: at a deadline. */
export interface OverdueRequest extends Page<string> {
  readonly owner: string;
  readonly leaseMs: number;
}

interface OverdueRow extends StoredRow {
  /** The last deadline that was read, as text, because a `Date` has no microseconds. */
  readonly last: string | null;
  readonly rows_read: number;
}

/**
 * Claims calls of blocked lanes and held-back connections that have records past their deadline. Records that were sent before, or whose connection
 * the provider refuses, end there. A record that was never sent keeps its one try after the block, unless the block outlasts the deadline. Reads the
 * next `limit` calls past their deadline, and all that share the deadline of the last one. Calls that are overdue and not held back are left to the
 * claims, so they must not be read over and over. The deadline of a call is that of its first record, also when that has ended.
 */
export async function claimOverdue(
  database: Knex,
  { owner, leaseMs, after = '-infinity', limit }: OverdueRequest,
): Promise<Step<OverdueCall, string>> {
  const result = await database.raw<{ rows: OverdueRow[] }>(
    `with due as materialized (
       select project_id, operation_id, number, deadline from calls
       where state in ('ready', 'in_doubt') and deadline <= now() and deadline > ?::timestamptz
       order by deadline fetch first (?::integer) rows with ties),
     held_back as (
       select c.project_id, c.operation_id, c.number, n.status = 'bad_credentials' as is_refused, c.state = 'in_doubt' as was_in_doubt,
              l.provider, l.last_error, l.blocked_until
       from due d
       join calls c on c.project_id = d.project_id and c.operation_id = d.operation_id and c.number = d.number
       join lanes l on l.project_id = c.project_id and l.id = c.lane_id
       left join connections n on n.project_id = c.project_id and n.id = c.connection_id
       where (c.state = ${hiddenFromPlanner('ready')} or (c.state = ${hiddenFromPlanner('in_doubt')} and n.status = 'bad_credentials'))
         and (n.status = 'bad_credentials' or l.blocked_until > now())
         and exists (select 1 from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
           and ${isInCall('r', 'c')} and ${deadlineSql('r', 'c')} <= now()
           and (n.status = 'bad_credentials' or r.first_sent_at is not null or l.blocked_until > ${deadlineSql('r', 'c')}))),
     picked as (select c.project_id, c.operation_id, c.number from calls c join held_back h
         on h.project_id = c.project_id and h.operation_id = c.operation_id and h.number = c.number
       where c.state = any(${hiddenFromPlanner('{ready,in_doubt}')}::text[]) and (c.state = 'in_doubt') = h.was_in_doubt order by 1, 2, 3 for update of c skip locked),
     taken as (update calls c set state = 'running', owner = ?, fence = c.fence + 1,
                      lease_until = now() + make_interval(secs => ?::float8 / 1000)
       from picked p where c.project_id = p.project_id and c.operation_id = p.operation_id and c.number = p.number
       returning c.*),
     ended as (select t.project_id, t.operation_id, t.number, h.was_in_doubt, h.provider, t.lane_id, t.fence, t.type, t.object_name, t.traceparent,
            case when h.is_refused then 'The provider refuses the credentials of the connection.'
                 else coalesce(h.last_error, 'The provider account is blocked.') end as reason,
            (select json_agg(json_build_object('index', r.record_index, 'orderKey', r.order_key, 'isSent', r.send_state <> 'none')) from records r
             where r.project_id = t.project_id and r.operation_id = t.operation_id and ${isInCall('r', 't')}
               and ${deadlineSql('r', 't')} <= now()) as records,
            case when exists (select 1 from records r where r.project_id = t.project_id and r.operation_id = t.operation_id
               and ${isInCall('r', 't')} and ${deadlineSql('r', 't')} > now()) then ${blockedMsSql('h')} end as rest_in_ms
     from taken t join held_back h
       on h.project_id = t.project_id and h.operation_id = t.operation_id and h.number = t.number)
     select d.*, e.* from (select max(deadline)::text as last, count(*)::integer as rows_read from due) d
     left join ended e on true`,
    [after, limit, owner, leaseMs],
  );
  const [first] = result.rows;
  const isFull = first !== undefined && first.rows_read >= limit && first.last !== null;
  // Without a call there is one row all the same: it shows how far the step went.
  const found = result.rows.filter((row) => row.project_id !== null).map(overdueCalls.read);
  return { found, ...(isFull ? { next: first.last } : {}) };
}
