import { metadataValues, shownMetadata, type Connection, type ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { json, optional, plain, shownAs, table, times, type StoredRow } from '../table';
import { providerApps } from './provider-app-store';

/** A connection as it is shown. Never holds the sealed credentials. */
export const connections = table({
  id: plain('id'),
  projectId: plain('project_id'),
  provider: plain('provider'),
  providerWorkspaceRef: optional(plain('provider_workspace_ref')),
  providerConsumerRef: optional(plain('provider_consumer_ref')),
  ...times,
  authScheme: plain<Connection['authScheme']>('auth_scheme'),
  status: plain<Connection['status']>('status'),
  providerMetadata: optional(json<NonNullable<Connection['providerMetadata']>>('provider_metadata')),
});

const ofProject = { projectId: plain('project_id'), ...times };
const groups = table({ groupRef: plain('group_ref'), groupName: plain('group_name'), ...ofProject });
const consumers = table({ consumerRef: plain('consumer_ref'), consumerName: plain('consumer_name'), ...ofProject });

/** What `toConnection` reads; `k`, `g`, `u` and `a` are the connection, its group, its consumer and the app it names. */
export const connectionColumns = [
  ...connections.aliased('k'),
  ...groups.aliased('g'),
  ...consumers.aliased('u'),
  ...providerApps.aliased('a'),
];

/** What a sender needs of a connection besides its secrets, at the moment it sends. */
const access = {
  provider: plain('provider'),
  tokenVersion: plain<number>('token_version'),
  workspaceRef: optional(plain('provider_workspace_ref')),
  /** Values of the provider metadata, by name. */
  metadata: optional(
    shownAs('provider_metadata', (text: string) =>
      metadataValues(JSON.parse(text) as NonNullable<Connection['providerMetadata']>),
    ),
  ),
  status: plain<ConnectionStatus>('status'),
  /** The access token should be refreshed before it is used. False when its end is not known. */
  isExpiring: plain<boolean>('is_expiring'),
  providerAppId: optional(plain('provider_app_id')),
  scopes: optional(plain<readonly string[]>('scopes')),
};
export const credentials = table({ ...access, groupRef: plain('group_ref'), sealed: plain('sealed_credentials') });

/** Credentials read by a statement that knew which version its caller has: `sealed` is absent when that is the one stored. */
export const confirmedCredentials = table({ ...access, sealed: optional(plain('sealed_credentials')) });

export type StoredCredentials = ReturnType<typeof credentials.read>;
export type ConfirmedCredentials = ReturnType<typeof confirmedCredentials.read>;

/**
 * SQL of the columns of `access`, of a connection. Rows from before `token_refresh_at` have only the token's end.
 * @param k alias of the connection
 */
export const accessSql = (k: string): string => `
  ${k}.provider, ${k}.token_version, ${k}.provider_workspace_ref, ${k}.provider_metadata, ${k}.status, ${k}.provider_app_id, ${k}.scopes,
  coalesce(coalesce(${k}.token_refresh_at, ${k}.token_expires_at - interval '2 minutes') <= now(), false) as is_expiring`;

/** SQL of the sealed credentials, of a connection. @param isKnown condition: the caller has them; they are null then */
export const sealedSql = (k: string, isKnown: string): string =>
  `case when not coalesce(${isKnown}, false) then coalesce(${k}.sealed_credentials, '') end as sealed_credentials`;

/** SQL of how long the lane of an account stays blocked, in milliseconds; 0 when it is not. @param l alias of the lane */
export const blockedMsSql = (l: string): string =>
  `greatest(0, coalesce(extract(epoch from ${l}.blocked_until - now()), 0))::float8 * 1000`;

/** Of a connection `k` and its app `a`: what a request may make large, and every reply that shows the connection repeats. */
export const largeColumns = ['k.provider_metadata', 'a.metadata', `array_to_string(a.scopes, '')`] as const;

/** Connections of a project as rows, to be narrowed with `k.…` conditions. */
export function selectConnections(database: Knex, projectId: string) {
  return database('connections as k')
    .joinRaw(ofConnectionsSql)
    .where('k.project_id', projectId)
    .select<StoredRow[]>(connectionColumns);
}

/**
 * The row of a table that has a key. The limit makes it a lookup by that key, whatever the planner believes. To the planner, a table that was never
 * analyzed has one row per project, so a join of several such tables became their product.
 * @param on every column of the key with what it equals
 */
export const byKeySql = (name: string, alias: string, on: Readonly<Record<string, string>>) => {
  const conditions = Object.entries(on).map(([column, value]) => `${column} = ${value}`);
  return `lateral (select * from ${name} where ${conditions.join(' and ')} limit 1) ${alias}`;
};

const groupSql = byKeySql('groups', 'g', { project_id: 'k.project_id', group_ref: 'k.group_ref' });
const consumerSql = byKeySql('consumers', 'u', { project_id: 'k.project_id', consumer_ref: 'k.consumer_ref' });
const appSql = byKeySql('provider_apps', 'a', { project_id: 'k.project_id', id: 'k.provider_app_id' });
/** Joins its app `a` to the connection `k`. */
export const appOfConnectionSql = `left join ${appSql} on true`;
/** Joins what a connection shows besides its own row `k`. */
export const ofConnectionsSql = `cross join ${groupSql} cross join ${consumerSql} ${appOfConnectionSql}`;

export function toConnection(row: StoredRow): Connection {
  const { id, projectId, provider, providerMetadata: stored, ...rest } = connections.readAs('k', row);
  const providerMetadata = shownMetadata(stored, rest.providerWorkspaceRef);
  return {
    id,
    projectId,
    provider,
    ...(row.a_id === null ? {} : { providerApp: { ...providerApps.readAs('a', row), provider } }),
    group: groups.readAs('g', row),
    consumer: consumers.readAs('u', row),
    ...rest,
    ...(providerMetadata && { providerMetadata }),
  };
}
