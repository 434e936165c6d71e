import { laneCallsMax, type Lane, type LaneCalls } from '@sluice/types';
import type { Knex } from 'knex';
import { moment, optional, plain, table, type StoredRow } from '../table';

/** A lane as its tables have it: without what only a connector knows. */
export type StoredLane = Omit<Lane, 'quota'>;

export interface LanePage {
  /** Id of the last lane of the page before. */
  readonly afterId?: string;
  /** Lanes at most. */
  readonly limit: number;
}

const lanes = table({
  id: plain('id'),
  projectId: plain('project_id'),
  provider: plain('provider'),
  workspaceRef: optional(plain('account_ref')),
  groupRefs: plain<readonly string[]>('group_refs'),
  blockedUntil: optional(moment('blocked_until')),
  lastError: optional(plain('last_error')),
  callsAtOnceMax: optional(plain<number>('cap')),
  calls: plain<LaneCalls>('calls'),
  createTime: moment('created_at'),
});

/** Groups named per lane: a lane of more is that of one account which many share. */
const groupsMax = 20;

/** Reads: executors block, narrow and widen lanes. */
export function laneStore(database: Knex) {
  return {
    /** Oldest first. */
    list: async (projectId: string, { afterId = '', limit }: LanePage): Promise<StoredLane[]> => {
      const bindings = { projectId, afterId, limit, groupsMax, callsMax: laneCallsMax };
      const { rows } = await database.raw<{ rows: StoredRow[] }>(listSql, bindings);
      return rows.map(lanes.read);
    },
  };
}

const counted = (condition: string): string => `(select count(*)::integer from (
  select 1 from calls c where c.project_id = l.project_id and c.lane_id = l.id and ${condition} limit :callsMax) counted)`;

/** Each count reads one partial index, and no further than `callsMax`. An account that no provider reported is named after its connection. */
const listSql = `
  with page as materialized (
    select * from lanes where project_id = :projectId and id > :afterId order by id limit :limit),
  used as (
    select n.lane_id, (array_agg(distinct n.group_ref order by n.group_ref))[1:(:groupsMax)::integer] as group_refs
    from connections n where n.project_id = :projectId and n.lane_id in (select id from page) group by n.lane_id)
  select l.project_id, l.id, l.provider, l.cap, l.last_error, l.created_at, coalesce(u.group_refs, '{}') as group_refs,
         case when l.account_ref not like 'connection:%' then l.account_ref end as account_ref,
         case when l.blocked_until > now() then l.blocked_until end as blocked_until,
         json_build_object(
           'running', ${counted(`c.state = 'running' and c.mode <> 'synchronous' and c.lease_until > now()`)},
           'ready', ${counted(`c.state = 'ready' and c.not_before <= now()`)},
           'retrying', ${counted(`c.state = 'ready' and c.not_before > now()`)},
           'inDoubt', ${counted(`c.state = 'in_doubt'`)},
           'waiting', ${counted(`c.state = 'waiting'`)}) as calls
  from page l left join used u on u.lane_id = l.id order by l.id`;
