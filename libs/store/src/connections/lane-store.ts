import { laneCallsMax, type Lane, type LaneCalls } from '@sluice/types';
import type { Knex } from 'knex';
import { translated } from '../translate-errors';

/** A lane as its tables tell it: without what only a connector knows. */
export type StoredLane = Omit<Lane, 'quota'>;

/** Reads: executors block, narrow and widen lanes. */
export interface LaneStore {
  /** Oldest first. */
  list(projectId: string, page: LanePage): Promise<StoredLane[]>;
}

export interface LanePage {
  /** Id of the last lane of the page before. */
  readonly afterId?: string;
  /** Lanes at most. */
  readonly limit: number;
}

interface LaneRow {
  readonly project_id: string;
  readonly id: string;
  readonly provider: string;
  readonly account_ref: string;
  readonly cap: number | null;
  readonly blocked_until: Date | null;
  readonly last_error: string | null;
  readonly created_at: Date;
  readonly group_refs: string[] | null;
  readonly calls: LaneCalls;
}

/** Groups named per lane: a lane of more is that of one account which many share. */
const groupsMax = 20;

export function laneStore(database: Knex): LaneStore {
  return translated<LaneStore>({
    list: async (projectId, { afterId = '', limit }) => {
      const { rows } = await database.raw<{ rows: LaneRow[] }>(listSql, {
        projectId,
        afterId,
        limit,
        groupsMax,
        callsMax: laneCallsMax,
      });
      return rows.map(toLane);
    },
  });
}

const counted = (condition: string): string => `(select count(*)::integer from (
  select 1 from calls c where c.project_id = l.project_id and c.lane_id = l.id and ${condition} limit :callsMax) counted)`;

/** Each count reads one partial index, and no further than `callsMax`. */
const listSql = `
  with page as materialized (
    select * from lanes where project_id = :projectId and id > :afterId order by id limit :limit),
  used as (
    select n.lane_id, (array_agg(distinct n.group_ref order by n.group_ref))[1:(:groupsMax)::integer] as group_refs
    from connections n where n.project_id = :projectId and n.lane_id in (select id from page) group by n.lane_id)
  select l.project_id, l.id, l.provider, l.account_ref, l.cap, l.last_error, l.created_at, u.group_refs,
         case when l.blocked_until > now() then l.blocked_until end as blocked_until,
         json_build_object(
           'running', ${counted(`c.state = 'running' and c.mode <> 'synchronous' and c.lease_until > now()`)},
           'ready', ${counted(`c.state = 'ready' and c.not_before <= now()`)},
           'retrying', ${counted(`c.state = 'ready' and c.not_before > now()`)},
           'inDoubt', ${counted(`c.state = 'in_doubt'`)},
           'waiting', ${counted(`c.state = 'waiting'`)}) as calls
  from page l left join used u on u.lane_id = l.id order by l.id`;

/** What a lane without a reported account is named after. See `LaneAccount`. */
const ofConnection = 'connection:';

function toLane(row: LaneRow): StoredLane {
  return {
    id: row.id,
    projectId: row.project_id,
    provider: row.provider,
    ...(row.account_ref.startsWith(ofConnection) ? {} : { workspaceRef: row.account_ref }),
    groupRefs: row.group_refs ?? [],
    ...(row.blocked_until === null ? {} : { blockedUntil: row.blocked_until.toISOString() }),
    ...(row.last_error === null ? {} : { lastError: row.last_error }),
    ...(row.cap === null ? {} : { callsAtOnceMax: row.cap }),
    calls: row.calls,
    createTime: row.created_at.toISOString(),
  };
}
