import { laneCallsMax, type HeldConnection, type Lane, type LaneCalls, type LastFailure } from '@sluice/types';
import type { Knex } from 'knex';
import { findGroupsNamed } from './group-store';
import { moment, momentSql, optional, plain, table, type StoredRow } from '../table';

/** A lane as its tables have it: without what only a connector knows. */
export type StoredLane = Omit<Lane, 'quota'>;

export interface LanePage {
  /** Id of the last lane of the page before. */
  readonly afterId?: string;
  /** Lanes at most. */
  readonly limit: number;
  /** Only lanes in which calls wait to be sent or to be looked up. @default all */
  readonly isWaiting?: boolean;
  /** Only these. @default all */
  readonly ids?: readonly string[];
  /** None of these. */
  readonly exceptIds?: readonly string[];
}

/** Lanes that are found at once by what ails them, or by a text. Our choice: more than a page has. */
const foundLanesMax = 200;
/** Groups whose accounts a text finds. */
const foundGroupsMax = 20;

const lanes = table({
  id: plain('id'),
  projectId: plain('project_id'),
  provider: plain('provider'),
  workspaceRef: optional(plain('account_ref')),
  groupRefs: plain<readonly string[]>('group_refs'),
  groupNames: plain<readonly string[]>('group_names'),
  blockedUntil: optional(moment('blocked_until')),
  lastError: optional(plain('last_error')),
  callsAtOnceMax: optional(plain<number>('cap')),
  calls: plain<LaneCalls>('calls'),
  readySince: optional(moment('ready_since')),
  held: optional(plain<readonly HeldConnection[]>('held')),
  lastFailure: optional(plain<LastFailure>('last_failure')),
  createTime: moment('created_at'),
});

/** Groups named per lane: a lane of more is that of one account which many share. */
const groupsMax = 20;
/** Calls of a connection that are read for the first deadline. Our choice: those that were accepted first stand first. */
const deadlinesMax = 200;
/** Connections of a lane whose calls are considered, in the order of their ids: those of one account are few. */
const connectionsMax = 20;

/** Reads: executors block, narrow and widen lanes. */
export function laneStore(database: Knex) {
  return {
    /** Oldest first. */
    list: async (projectId: string, page: LanePage): Promise<StoredLane[]> => {
      const { afterId = '', limit, isWaiting = false, ids, exceptIds } = page;
      const bindings = { projectId, afterId, limit, ids, exceptIds, groupsMax, connectionsMax, callsMax: laneCallsMax };
      const sql = listSql(isWaiting && ids === undefined && exceptIds === undefined ? waitingLanes : lanesOf(page));
      const { rows } = await database.raw<{ rows: StoredRow[] }>(sql, bindings as never);
      return rows.map(lanes.read);
    },
    /** Ids of lanes in which calls wait, or whose provider refused a call lately: 200 of each at most. */
    findTroubled: async (projectId: string): Promise<string[]> => {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `with recursive ${waitingLanes}
         select id from page union
         (select id from lanes where project_id = :projectId and (blocked_until > now() or cap is not null) limit :limit)`,
        { projectId, afterId: '', limit: foundLanesMax },
      );
      return rows.map(({ id }) => id);
    },
    /** Ids of the accounts of groups whose ref or name begins so, and of the one that the provider names so: 200 at most. */
    findNamed: async (projectId: string, text: string): Promise<string[]> => {
      const groups = await findGroupsNamed(database, projectId, { text, limit: foundGroupsMax });
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `(select distinct lane_id as id from connections where project_id = :projectId and group_ref = any(:groupRefs::text[]) limit :limit)
         union select id from lanes where project_id = :projectId and account_ref = :account`,
        { projectId, account: text, groupRefs: groups.map(({ groupRef }) => groupRef), limit: foundLanesMax } as never,
      );
      return rows.map(({ id }) => id);
    },
  };
}

const counted = (condition: string): string => `(select count(*)::integer from (
  select 1 from calls c where c.project_id = l.project_id and c.lane_id = l.id and ${condition} limit :callsMax) counted)`;

const waits = (of: string): string => `c.lane_id = ${of} and c.state in ('ready', 'in_doubt')`;

function lanesOf({ isWaiting = false, ids, exceptIds }: LanePage): string {
  const narrowed = [
    ids === undefined ? '' : ' and l.id = any(:ids::text[])',
    exceptIds === undefined ? '' : ' and l.id <> all(:exceptIds::text[])',
    isWaiting ? ` and exists (select from calls c where c.project_id = :projectId and ${waits('l.id')})` : '',
  ].join('');
  return `page as materialized (
    select * from lanes l where l.project_id = :projectId and l.id > :afterId${narrowed} order by l.id limit :limit)`;
}

/** Jumps from lane to lane over the index of calls that wait: the cost grows with neither the calls nor the other lanes. */
const waitingLanes = `turn as (
    (select c.lane_id, 1 as position from calls c where c.project_id = :projectId and c.state in ('ready', 'in_doubt')
       and c.lane_id > :afterId order by c.lane_id limit 1)
    union all
    select n.lane_id, w.position + 1 from turn w cross join lateral (
      select c.lane_id from calls c where c.project_id = :projectId and c.state in ('ready', 'in_doubt')
        and c.lane_id > w.lane_id order by c.lane_id limit 1) n
    where w.position < :limit),
  page as materialized (
    select l.* from turn t join lanes l on l.project_id = :projectId and l.id = t.lane_id)`;

/** What waits of each connection of a lane: since when its first call may be sent, and how its next one that is tried again ended last. */
const connectionsOfLanes = `line as (
    select p.id as lane_id, 1 as position, (select c.connection_id from calls c where c.project_id = :projectId and ${waits('p.id')}
      order by c.connection_id limit 1) as connection_id from page p
    union all
    select w.lane_id, w.position + 1, (select c.connection_id from calls c where c.project_id = :projectId and ${waits('w.lane_id')}
      and c.connection_id > w.connection_id order by c.connection_id limit 1) from line w
    where w.connection_id is not null and w.position < :connectionsMax),
  waiting as (
    select w.lane_id, coalesce(k.status, 'created') = 'bad_credentials' as is_held, k.id, k.provider, k.group_ref, g.group_name, k.auth_scheme,
           coalesce(k.updated_at, k.created_at) as changed_at, f.not_before, a.error_class, a.status, a.finished_at,
           d.deadline, n.installation_id
    from line w left join connections k on k.project_id = :projectId and k.id = w.connection_id
    left join groups g on g.project_id = :projectId and g.group_ref = k.group_ref
    left join lateral (select c.not_before from calls c where c.project_id = :projectId and ${waits('w.lane_id')} and c.connection_id = w.connection_id
      and c.not_before <= now() order by c.not_before limit 1) f on true
    left join lateral (select c.operation_id, c.number from calls c where c.project_id = :projectId and ${waits('w.lane_id')} and c.connection_id = w.connection_id
      and c.not_before > now() and c.state = 'ready' order by c.not_before limit 1) r on true
    left join lateral (select error_class, status, finished_at from attempts where project_id = :projectId
      and operation_id = r.operation_id and call_number = r.number order by fence desc limit 1) a on true
    left join lateral (select min(deadline) as deadline from (select c.deadline from calls c where c.project_id = :projectId and ${waits('w.lane_id')}
      and c.connection_id = w.connection_id and k.status = 'bad_credentials' order by c.not_before limit ${deadlinesMax}) first) d on true
    left join lateral (select i.id as installation_id from installations i where i.project_id = :projectId and i.group_ref = k.group_ref
      and i.connection_id = k.id and k.status = 'bad_credentials' limit 1) n on true
    where w.connection_id is not null),
  standing as (
    select lane_id, min(not_before) filter (where not is_held) as ready_since,
           json_agg(json_strip_nulls(json_build_object('connectionId', id, 'provider', provider, 'groupRef', group_ref,
             'groupName', group_name, 'authScheme', auth_scheme, 'since', ${momentSql('changed_at')},
             'installationId', installation_id, 'firstExpireTime', ${momentSql('deadline')}))) filter (where is_held) as held,
           (array_agg(json_strip_nulls(json_build_object('class', error_class, 'status', status, 'time', ${momentSql('finished_at')}))
             order by finished_at desc) filter (where error_class is not null and finished_at is not null))[1] as last_failure
    from waiting group by lane_id)`;

/** Each count reads one partial index, and no further than `callsMax`. An account that no provider reported is named after its connection. */
const listSql = (page: string): string => `
  with recursive ${page},
  used as (
    select n.lane_id, (array_agg(n.group_ref order by n.group_ref))[1:(:groupsMax)::integer] as group_refs,
           (array_agg(coalesce(g.group_name, n.group_ref) order by n.group_ref))[1:(:groupsMax)::integer] as group_names
    from (select distinct lane_id, group_ref from connections where project_id = :projectId and lane_id in (select id from page)) n
    left join groups g on g.project_id = :projectId and g.group_ref = n.group_ref group by n.lane_id),
  ${connectionsOfLanes}
  select l.project_id, l.id, l.provider, l.cap, l.last_error, l.created_at, coalesce(u.group_refs, '{}') as group_refs, coalesce(u.group_names, '{}') as group_names,
         s.ready_since, s.held, s.last_failure,
         case when l.account_ref not like 'connection:%' then l.account_ref end as account_ref,
         case when l.blocked_until > now() then l.blocked_until end as blocked_until,
         json_build_object(
           'running', ${counted(`c.state = 'running' and c.mode <> 'synchronous' and c.lease_until > now()`)},
           'ready', ${counted(`c.state = 'ready' and c.not_before <= now()`)},
           'retrying', ${counted(`c.state = 'ready' and c.not_before > now()`)},
           'inDoubt', ${counted(`c.state = 'in_doubt'`)},
           'waiting', ${counted(`c.state = 'waiting'`)}) as calls
  from page l left join used u on u.lane_id = l.id left join standing s on s.lane_id = l.id order by l.id`;
