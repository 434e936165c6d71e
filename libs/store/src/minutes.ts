import {
  figureNames,
  timingBounds,
  timingNames,
  type FigureName,
  type LivingProcess,
  type ProjectFigures,
  type TimingName,
} from '@sluice/telemetry';
import type { Knex } from 'knex';
import { guard } from './guard';
import { column, rowSource, type Column } from './row-source';
import { momentSql } from './table';

/** A span of time that ends with the last complete minute, in steps of equal length. */
export interface Span {
  readonly points: number;
  readonly stepSeconds: number;
}

/** What happened in a span, by the number of its step; steps without anything are absent. */
export interface StoredOverview {
  readonly endTime: string;
  readonly figures: readonly StoredFigures[];
  /** Records from the beginning of the span until now, as far as they are stored: 15 s late at most. */
  readonly records: StoredRecords;
  /** Of the span before, as long. */
  readonly recordsBefore: StoredRecords;
  /** The longest queues of the span. */
  readonly lanes: readonly StoredLane[];
  /** The most that waited in each of these lanes. */
  readonly backlog: readonly { readonly point: number; readonly laneId: string; readonly waiting: number }[];
  /** Services of which a process was alive. */
  readonly alive: readonly { readonly point: number; readonly services: readonly string[] }[];
  readonly services: readonly StoredService[];
}

export interface StoredFigures {
  readonly point: number;
  readonly provider: string;
  readonly counts: Readonly<Record<FigureName, number>>;
  /** Observations by bucket of `timingBounds`. */
  readonly timings: Readonly<Record<TimingName, readonly number[]>>;
}

export type StoredRecords = Readonly<Record<(typeof recordFigures)[number], number>>;

interface StoredLane {
  readonly id: string;
  readonly provider: string;
  readonly workspaceRef?: string;
  readonly groupRefs: readonly string[];
}

interface StoredService {
  readonly service: string;
  /** Of its processes that were alive within the last two minutes; of the last ones that were, where none is. */
  readonly versions: readonly string[];
  /** Alive within the last two minutes. */
  readonly processes: number;
  readonly lastTime: string;
}

/** What is accepted, and how it ends. */
const recordFigures = ['accepted', 'written', 'failed', 'unknown'] as const satisfies readonly FigureName[];

/** The longest span is a week, and its counts are compared with those of the week before; a day more for clocks and sweeps. */
const keptDays = { minutes: 15, backlog_minutes: 8, process_minutes: 8 } as const;
/** A count of what waits stops here, as that of the admission does. */
const waitingMax = 1_000_000;
/** Lanes of a project whose queues are stored, the longest: a chart shows fewer. */
const lanesStored = 10;
const lanesShown = 5;
/** A lane names so many of its groups. */
const groupsShown = 3;
/** Projects in which something waits, of one statement. */
const projectsMax = 1_000;
/** The count takes 0.1 s for a million calls; on a busy machine longer than other statements are given. */
const countTimeoutMs = 30_000;

/** Postgres names a column as we name the figure, in snake_case. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const countColumns = figureNames.map(snake);
const timingColumns = timingNames.map((name) => `${snake(name)}_counts`);
/** Postgres counts the elements of an array from 1. */
const buckets = Array.from({ length: timingBounds.length + 1 }, (_, at) => at + 1);

const columns: readonly Column<ProjectFigures>[] = [
  column('project_id', 'text', ({ projectId }) => projectId),
  column('provider', 'text', ({ provider }) => provider),
  ...figureNames.map((name) => column<ProjectFigures>(snake(name), 'bigint', ({ counts }) => Math.round(counts[name]))),
  ...timingNames.map((name) =>
    column<ProjectFigures>(`${snake(name)}_counts`, 'text', ({ timings }) => `{${timings[name].join(',')}}`),
  ),
];

/** Rows of one statement. */
const rowsMax = 1_000;

/** Minutes of processes, and of the projects they worked for. The moments are the database's, so clocks of processes do not matter. */
export function minuteStore(database: Knex) {
  return {
    save: async (process: LivingProcess, figures: readonly ProjectFigures[]): Promise<void> => {
      const { process: name, service, version } = process;
      await guard(() =>
        database.transaction(async (transaction) => {
          await transaction.raw(aliveSql, [name, service, version]);
          for (let at = 0; at < figures.length; at += rowsMax) {
            const rows = rowSource('f', columns, figures.slice(at, at + rowsMax));
            await transaction.raw(saveSql(rows.sql), [name, ...(rows.bindings as readonly string[])]);
          }
        }),
      );
    },
    /** Stores how much waits in the longest queues of each project. What another process stored for this minute stays. */
    saveBacklog: async (): Promise<void> => {
      await database.transaction(async (transaction) => {
        await transaction.raw(`set local statement_timeout = ${countTimeoutMs}`);
        await transaction.raw(saveBacklogSql);
      });
    },
    /** What happened for a project. One statement, whatever the span. */
    readOverview: async (projectId: string, { points, stepSeconds }: Span): Promise<StoredOverview> => {
      const bindings = { projectId, stepSeconds, seconds: points * stepSeconds };
      const { rows } = await database.raw<{ rows: [StoredOverview] }>(overviewSql, bindings);
      return rows[0];
    },
    /** Deletes counts older than 15 days, and queues and processes older than eight. @returns the rows of the table of which most were; at `limit` there may be more */
    purge: async (limit: number): Promise<number> => {
      const deleted: number[] = [];
      for (const sql of purgeSqls) deleted.push((await database.raw<{ rowCount: number }>(sql, [limit])).rowCount);
      return Math.max(...deleted);
    },
  };
}

const aliveSql = `insert into process_minutes (minute, process, service, version) values (date_trunc('minute', now()), ?, ?, ?)
  on conflict (minute, process) do nothing`;

const addedBuckets = (name: string): string =>
  `${name} = array[${buckets.map((at) => `minutes.${name}[${at}] + excluded.${name}[${at}]`).join(', ')}]`;

const saveSql = (source: string): string => `
  insert into minutes (minute, process, project_id, provider, ${[...countColumns, ...timingColumns].join(', ')})
  select date_trunc('minute', now()), ?, f.project_id, f.provider, ${countColumns.map((name) => `f.${name}`).join(', ')},
    ${timingColumns.map((name) => `f.${name}::integer[]`).join(', ')} from ${source}
  on conflict (project_id, minute, process, provider) do update set
    ${countColumns.map((name) => `${name} = minutes.${name} + excluded.${name}`).join(', ')},
    ${timingColumns.map(addedBuckets).join(', ')}`;

/** Jumps from project to project over the index of calls that wait, then counts those of each from two indexes. */
const saveBacklogSql = `
  with recursive project as (
    (select project_id, 1 as position from calls where state in ('ready', 'in_doubt') order by project_id limit 1)
    union all
    select n.project_id, p.position + 1 from project p cross join lateral (
      select c.project_id from calls c where c.state in ('ready', 'in_doubt') and c.project_id > p.project_id
      order by c.project_id limit 1) n
    where p.position < ${projectsMax})
  insert into backlog_minutes (project_id, minute, lane_id, waiting)
  select p.project_id, date_trunc('minute', now()), w.lane_id, w.waiting from project p cross join lateral (
    select h.lane_id, count(*) as waiting from (
      (select c.lane_id from calls c where c.project_id = p.project_id and c.state in ('ready', 'in_doubt')
       order by c.lane_id limit ${waitingMax})
      union all
      (select c.lane_id from calls c where c.project_id = p.project_id and c.state = 'waiting'
       order by c.lane_id limit ${waitingMax})) h
    group by h.lane_id order by waiting desc, h.lane_id limit ${lanesStored}) w
  on conflict (project_id, minute, lane_id) do nothing`;

const end = `date_trunc('minute', now())`;
const start = `${end} - make_interval(secs => :seconds)`;
const within = (alias: string): string => `${alias}.minute >= ${start} and ${alias}.minute < ${end}`;
/** The beginning of the step of a minute: grouping by moments takes a tenth of the time of grouping by numbers. */
const step = (alias: string): string =>
  `date_bin(make_interval(secs => :stepSeconds), ${alias}.minute, ${start}) as step`;
const point = `round(extract(epoch from g.step - (${start})) / :stepSeconds)::integer as point`;
const members = (names: readonly string[], valueOf: (name: string) => string): string =>
  `json_build_object(${names.map((name) => `'${name}', ${valueOf(name)}`).join(', ')})`;
const listOf = (select: string): string => `coalesce((select json_agg(t) from (${select}) t), '[]')`;

const sums = [
  ...countColumns.map((name) => `sum(m.${name}) as ${name}`),
  ...timingColumns.flatMap((name) => buckets.map((at) => `sum(m.${name}[${at}]) as ${name}_${at}`)),
];
const timingOf = (name: string): string =>
  `json_build_array(${buckets.map((at) => `g.${snake(name)}_counts_${at}`).join(', ')})`;
const figuresSql = `
  select ${point}, g.provider, ${members(figureNames, (name) => `g.${snake(name)}`)} as counts, ${members(timingNames, timingOf)} as timings
  from (select ${step('m')}, m.provider, ${sums.join(', ')} from minutes m where m.project_id = :projectId and ${within('m')}
    group by 1, m.provider) g`;

const startBefore = `${end} - 2 * make_interval(secs => :seconds)`;
const recordsWhere = (condition: string): string =>
  `json_build_object(${recordFigures.map((name) => `'${name}', coalesce(sum(m.${name}) filter (where ${condition}), 0)`).join(', ')})`;
const recordsSql = `
  select ${recordsWhere(`m.minute >= ${start}`)} as records, ${recordsWhere(`m.minute < ${start}`)} as "recordsBefore"
  from minutes m where m.project_id = :projectId and m.minute >= ${startBefore} and m.minute <= ${end}`;

/** A lane whose account is gone has no name any more, and is not shown. */
const topSql = `
  select l.id, l.provider, case when l.account_ref not like 'connection:%' then l.account_ref end as "workspaceRef",
    array(select distinct k.group_ref from connections k where k.project_id = :projectId and k.lane_id = l.id
      order by k.group_ref limit ${groupsShown}) as "groupRefs", t.waiting
  from (select b.lane_id, max(b.waiting) as waiting from backlog_minutes b where b.project_id = :projectId and ${within('b')}
    group by b.lane_id order by waiting desc, b.lane_id limit ${lanesShown}) t
  join lanes l on l.project_id = :projectId and l.id = t.lane_id order by t.waiting desc, l.id`;

const recent = `${end} - interval '1 minute'`;
const servicesSql = `
  select l.service, ${momentSql('l.minute')} as "lastTime",
    (select array_agg(distinct p.version order by p.version) from process_minutes p
     where p.service = l.service and p.minute >= least(l.minute, ${recent})) as versions,
    (select count(distinct p.process)::integer from process_minutes p where p.service = l.service and p.minute >= ${recent}) as processes
  from (select service, max(minute) as minute from process_minutes where minute >= ${start} group by service) l order by l.service`;

const backlogSql = `
  select ${point}, g.lane_id as "laneId", g.waiting from (
    select ${step('b')}, b.lane_id, max(b.waiting) as waiting from backlog_minutes b
    where b.project_id = :projectId and ${within('b')} and b.lane_id in (select id from top) group by 1, b.lane_id) g`;

const aliveSpanSql = `
  select ${point}, array_agg(g.service) as services from (
    select distinct ${step('p')}, p.service from process_minutes p where ${within('p')}) g group by g.step`;

/** One row, so that all of it is of one moment. */
const overviewSql = `
  with top as materialized (${topSql})
  select ${momentSql(end)} as "endTime", ${listOf(figuresSql)} as figures,
    coalesce((select json_agg(json_strip_nulls(json_build_object('id', id, 'provider', provider, 'workspaceRef', "workspaceRef",
      'groupRefs', "groupRefs")) order by waiting desc, id) from top), '[]') as lanes,
    ${listOf(backlogSql)} as backlog, ${listOf(aliveSpanSql)} as alive, ${listOf(servicesSql)} as services, r.*
  from (${recordsSql}) r`;

const purgeSqls = Object.entries(keptDays).map(
  ([name, days]) => `delete from ${name} where ctid = any(array(select ctid from ${name}
    where minute < now() - interval '${days} days' order by minute limit ? for update skip locked))`,
);
