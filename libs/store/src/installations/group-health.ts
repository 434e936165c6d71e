import {
  countedGroupsMax,
  failuresOfProjectMax,
  groupsReadMax,
  itemsOfGroupMax,
  newestConnectionsMax,
  refusedGroupsMax,
  type GroupCounts,
  type GroupHealth,
  type GroupState,
  type InstallationHealth,
  type UnusedConnection,
} from '@sluice/types';
import type { Knex } from 'knex';
import { byKeySql } from '../connections/connection-row';
import { momentSql } from '../table';
import { listInstallationHealth } from './installation-health';
import { latestOperationsSql } from '../health';

export interface GroupFilter {
  /** Beginning of the name or of the ref, whatever the case. */
  readonly search?: string;
  readonly state?: GroupState;
  /** Only with an installation of this integration. */
  readonly integrationId?: string;
  /** Only this group. */
  readonly groupRef?: string;
}

/** Which part of the list: groups in a state (the unhealthy ones), then those by name, then those that were found by their ref alone. */
export type GroupPart = 0 | 1 | 2;

/** Where a page begins. */
export interface GroupPosition {
  readonly part: GroupPart;
  /** What the part is ordered by. */
  readonly key: string;
  readonly groupRef: string;
}

export interface PositionedGroup {
  readonly position: GroupPosition;
  readonly group: GroupHealth;
}

interface GroupRow {
  readonly group_ref: string;
  readonly group_name: string;
  readonly created_at: string;
  readonly key: string;
}

interface StateRow extends GroupRow {
  readonly is_refused: boolean;
  /** It is what the query asks for, and after the position. */
  readonly is_wanted: boolean;
}

interface PlacedRow extends GroupRow {
  readonly part: GroupPart;
}

const nameKey = `lower(g.group_name) collate "C"`;
const refKey = `lower(g.group_ref) collate "C"`;
const beginsSql = (key: string): string =>
  `(${key} >= lower(:search) collate "C" and ${key} < lower(:search) || chr(1114111) collate "C")`;
const shownSql = (key: string): string =>
  `g.group_ref, g.group_name, ${momentSql('g.created_at')} as created_at, ${key} as key`;
const afterSql = (key: string): string => `(${key}, g.group_ref collate "C") > (:key, :afterRef)`;

/** Whether a group has installed the integration: a lookup for each, as `isUsedSql` is one. */
const hasInstalledSql = (group: string): string => `coalesce((
  select true from installations i where i.project_id = :projectId and i.integration_id = :integrationId and i.group_ref = ${group}.group_ref limit 1), false)`;

/** What every part of the list asks of a group `g`. */
const ofFilterSql = ({ integrationId, groupRef }: GroupFilter): string =>
  [
    groupRef === undefined ? '' : ' and g.group_ref = :groupRef',
    integrationId === undefined ? '' : ` and ${hasInstalledSql('g')}`,
  ].join('');

/** Groups of a state, ordered by name. @param source rows (group_ref, is_refused), each group once */
const stateSql = (source: string, filter: GroupFilter): string => `
  select ${shownSql(nameKey)}, s.is_refused, (${filter.search === undefined ? 'true' : `${beginsSql(nameKey)} or ${beginsSql(refKey)}`}
    ) and ${afterSql(nameKey)}${ofFilterSql(filter)} as is_wanted
  from (${source}) s cross join ${byKeySql('groups', 'g', { project_id: ':projectId', group_ref: 's.group_ref' })}
  order by ${nameKey}, g.group_ref collate "C"`;

/** Whether an installation uses the connection. The limit makes it a lookup for each, whatever the planner believes: a join would read them all. */
const isUsedSql = (k: string): string => `coalesce((
  select true from installations u where u.project_id = :projectId and u.group_ref = ${k}.group_ref and u.connection_id = ${k}.id limit 1), false)`;

/** An unhealthy installation has a connection that is refused, or is among those with the newest failures. */
const unhealthySql = `
  select u.group_ref, bool_or(u.is_refused) as is_refused from (
    (select r.group_ref, true as is_refused from (
       select k.group_ref, k.id from connections k where k.project_id = :projectId and k.status = 'bad_credentials'
       order by k.group_ref, k.id limit :refusedGroupsMax) r
     where ${isUsedSql('r')})
    union all
    (select i.group_ref, false from (
       select distinct n.installation_id from (
         select o.installation_id from operations o where o.project_id = :projectId and o.failed_at is not null
         order by o.id desc limit :failuresOfProjectMax) n) f
     cross join ${byKeySql('installations', 'i', { project_id: ':projectId', id: 'f.installation_id' })}
     cross join ${latestOperationsSql} where latest.all_failed)) u
  group by u.group_ref`;

const notInstalledSql = `
  select k.group_ref, false as is_refused from (
    select c.group_ref, c.id from connections c where c.project_id = :projectId order by c.id desc limit :newestConnectionsMax) k
  where not ${isUsedSql('k')} group by k.group_ref`;

/** The parts of the list that are ordered by an index: by what, and what is left to an earlier part. */
const orders = [
  { part: 1, key: nameKey, restSql: '' },
  { part: 2, key: refKey, restSql: ` and not ${beginsSql(nameKey)}` },
] as const;
type Order = (typeof orders)[number];

const afterPositionSql = ({ search, groupRef }: GroupFilter, key: string): string =>
  [
    afterSql(key),
    ...(search === undefined ? [] : [beginsSql(key)]),
    ...(groupRef === undefined ? [] : ['g.group_ref = :groupRef']),
  ].join(' and ');

/**
 * A page of groups by a key. @param hasFew of an integration that few groups have installed these are read and ordered; else groups are read from an
 * index in its order, from the position on, as many as one page may
 */
function byKeyOfListSql(filter: GroupFilter, { key, restSql }: Order, hasFew: boolean): string {
  const isAfter = afterPositionSql(filter, key);
  const source = hasFew
    ? `select g.*, ${key} as key from installations i cross join ${byKeySql('groups', 'g', { project_id: ':projectId', group_ref: 'i.group_ref' })}
       where i.project_id = :projectId and i.integration_id = :integrationId and ${isAfter}`
    : `select g.*, ${key} as key from groups g where g.project_id = :projectId and ${isAfter}
       order by ${key}, g.group_ref collate "C" limit :readMax`;
  const isInstalled = hasFew || filter.integrationId === undefined ? '' : ` and ${hasInstalledSql('g')}`;
  return `
    select ${shownSql('g.key')} from (${source}) g where g.group_ref <> all (:unhealthy)${restSql}${isInstalled}
    order by g.key, g.group_ref collate "C" limit :limit`;
}

/** The last group that a page may read, if there is one more. */
const edgeSql = (filter: GroupFilter, { key }: Order): string => `
  select ${shownSql(key)} from groups g where g.project_id = :projectId and ${afterPositionSql(filter, key)}
  order by ${key}, g.group_ref collate "C" offset :readMax - 1 limit 1`;

/** Of an integration few groups may have installed: a walk over all groups by name would find them late. */
async function isOfFew(
  database: Knex,
  projectId: string,
  { integrationId }: GroupFilter,
  readMax: number,
): Promise<boolean> {
  if (integrationId === undefined) return false;
  const some = database('installations')
    .where({ project_id: projectId, integration_id: integrationId })
    .select('group_ref')
    .limit(readMax + 1);
  const [row] = await database.from(some.as('i')).count<{ count: string }[]>('* as count');
  return Number(row?.count) <= readMax;
}

const start: GroupPosition = { part: 0, key: '', groupRef: '' };

export interface GroupPageOptions {
  readonly after?: GroupPosition | undefined;
  readonly limit: number;
  /** Groups that are read of each part of the list. @default groupsReadMax */
  readonly readMax?: number;
}

export interface GroupPage {
  readonly groups: PositionedGroup[];
  /** Where reading goes on although the page has fewer groups than its limit. */
  readonly next?: GroupPosition;
  readonly counts: GroupCounts;
}

/**
 * Groups with what each has installed and connected: unhealthy ones first, then by name; with a search, those found by their ref alone come last. Nothing
 * is read that grows with the project: a page may end before its limit. A group that turns unhealthy while pages are read is at the front of the list,
 * which is read anew.
 */
export async function listGroupHealth(
  database: Knex,
  projectId: string,
  filter: GroupFilter,
  { after = start, limit, readMax = groupsReadMax }: GroupPageOptions,
): Promise<GroupPage> {
  const read = async <Row>(
    sql: string,
    { key, groupRef: afterRef }: Omit<GroupPosition, 'part'>,
    more: object = {},
  ) => {
    const bindings = { projectId, ...filter, key, afterRef, ...bounds, readMax, ...more };
    return (await database.raw<{ rows: Row[] }>(sql, bindings as never)).rows;
  };
  const ofStates = after.part === 0 ? after : start;
  const unhealthy = await read<StateRow>(stateSql(unhealthySql, filter), ofStates);
  const uninstalled = await read<StateRow>(stateSql(notInstalledSql, filter), ofStates);
  const first = filter.state === 'not_installed' ? uninstalled : unhealthy;
  const isOfState = ({ is_refused }: StateRow): boolean => filter.state !== 'bad_credentials' || is_refused;
  const rows: PlacedRow[] = [];
  if (after.part === 0)
    rows.push(...first.filter((row) => row.is_wanted && isOfState(row)).map((row) => ({ ...row, part: 0 as const })));
  const isByState = filter.state !== undefined;
  const hasFew = !isByState && (await isOfFew(database, projectId, filter, readMax));
  let next: GroupPosition | undefined;
  for (const order of isByState ? [] : orders.slice(0, filter.search === undefined ? 1 : 2)) {
    const { part } = order;
    if (part < after.part || rows.length >= limit || next !== undefined) continue;
    const position = part === after.part ? after : start;
    const more = { unhealthy: unhealthy.map(({ group_ref }) => group_ref), limit: limit - rows.length };
    const found = await read<GroupRow>(byKeyOfListSql(filter, order, hasFew), position, more);
    rows.push(...found.map((row) => ({ ...row, part })));
    if (hasFew || found.length === more.limit) continue;
    const [edge] = await read<GroupRow>(edgeSql(filter, order), position);
    if (edge !== undefined) next = { part, key: edge.key, groupRef: edge.group_ref };
  }
  const shown = rows.slice(0, limit);
  const unhealthyRefs = new Set(unhealthy.map(({ group_ref }) => group_ref));
  return {
    groups: await withItems(database, projectId, shown, unhealthyRefs),
    ...(next === undefined ? {} : { next }),
    counts: {
      groups: bounded(await countGroups(database, projectId), countedGroupsMax),
      unhealthy: bounded(unhealthy.length, refusedGroupsMax),
      badCredentials: bounded(unhealthy.filter(({ is_refused }) => is_refused).length, refusedGroupsMax),
      notInstalled: { count: uninstalled.length },
    },
  };
}

const bounds = { refusedGroupsMax, failuresOfProjectMax, newestConnectionsMax };

const bounded = (count: number, max: number) => ({ count, ...(count >= max ? { isAtLeast: true } : {}) });

async function countGroups(database: Knex, projectId: string): Promise<number> {
  const some = database('groups').where({ project_id: projectId }).select('group_ref').limit(countedGroupsMax);
  const [row] = await database.from(some.as('g')).count<{ count: string }[]>('* as count');
  return Number(row?.count);
}

interface Item {
  readonly group_ref: string;
}

const ofGroups = (items: string): string =>
  `select r.group_ref, n.* from unnest(:groupRefs::text[]) r (group_ref) cross join lateral (${items}) n`;

/** One more than is shown says that there are more. */
const installationsSql = ofGroups(`
  select i.id from installations i where i.project_id = :projectId and i.group_ref = r.group_ref order by i.id limit ${itemsOfGroupMax + 1}`);

const unusedSql = ofGroups(`
  select json_strip_nulls(json_build_object('id', k.id, 'provider', k.provider, 'authScheme', k.auth_scheme, 'status', k.status,
    'consumerRef', k.consumer_ref, 'workspaceRef', k.provider_workspace_ref, 'createTime', ${momentSql('k.created_at')},
    'since', ${momentSql('coalesce(k.updated_at, k.created_at)')})) as connection
  from connections k where k.project_id = :projectId and k.group_ref = r.group_ref and not ${isUsedSql('k')}
  order by k.id desc limit ${itemsOfGroupMax}`);

async function withItems(
  database: Knex,
  projectId: string,
  rows: readonly PlacedRow[],
  unhealthyRefs: ReadonlySet<string>,
): Promise<PositionedGroup[]> {
  if (rows.length === 0) return [];
  const read = async <Row extends Item>(sql: string) => {
    const bindings = { projectId, groupRefs: rows.map(({ group_ref }) => group_ref) };
    const found = (await database.raw<{ rows: Row[] }>(sql, bindings)).rows;
    return Map.groupBy(found, ({ group_ref }) => group_ref);
  };
  const installed = await read<Item & { readonly id: string }>(installationsSql);
  const unused = await read<Item & { readonly connection: UnusedConnection }>(unusedSql);
  const ids = [...installed.values()].flatMap((of) => of.slice(0, itemsOfGroupMax).map(({ id }) => id));
  const health = await listInstallationHealth(database, projectId, { ids }, { limit: Math.max(1, ids.length) });
  const healthOf = Map.groupBy(health, ({ groupRef }) => groupRef);
  return rows.map(({ part, key, ...row }) => {
    const groupRef = row.group_ref;
    const installations = (healthOf.get(groupRef) ?? []).toSorted(byHealth);
    const isUnhealthy = unhealthyRefs.has(groupRef) || installations[0]?.healthStatus === 'unhealthy';
    return {
      position: { part, key, groupRef },
      group: {
        groupRef,
        groupName: row.group_name,
        healthStatus: isUnhealthy ? 'unhealthy' : 'healthy',
        createTime: row.created_at,
        installations,
        ...((installed.get(groupRef)?.length ?? 0) > itemsOfGroupMax ? { hasMoreInstallations: true } : {}),
        unusedConnections: (unused.get(groupRef) ?? []).map(({ connection }) => connection),
      },
    };
  });
}

/** Unhealthy first; a sort keeps the order of the others. */
function byHealth(one: InstallationHealth, other: InstallationHealth): number {
  return Number(other.healthStatus === 'unhealthy') - Number(one.healthStatus === 'unhealthy');
}
