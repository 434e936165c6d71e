import type { ConfigContent } from '@sluice/types';
import type { Knex } from 'knex';
import {
  accessSql,
  blockedMsSql,
  confirmedCredentials,
  sealedSql,
  type ConfirmedCredentials,
} from '../connections/connection-row';
import { shareReads } from '../coalesce';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { column, preparedRowsSql, rowBindings } from '../row-source';
import { plain, table, type StoredRow } from '../table';

/** What a request names an installation by. */
export interface InstallationNames {
  /** The project the caller may use: another one is not found. */
  readonly withinProjectId: string;
  /** The one group the caller may use: another one is not found. @default every group */
  readonly withinGroupRef?: string;
  readonly projectIdOrName: string;
  /** Id or name; an id wins over an equal name. */
  readonly integrationId: string;
  readonly groupRef: string;
}

/** A small row of what a plan depends on, to know whether any of it changed: no state of its connection. Contents are read by their immutable keys. */
const ids = table({
  projectId: plain('project_id'),
  dropUnmappedFields: plain<boolean>('drop_unmapped_fields'),
  integrationId: plain('integration_id'),
  provider: plain('provider'),
  /** Latest revision of the integration: the manifest in force. */
  revisionId: plain('latest_revision_id'),
  groupRef: plain('group_ref'),
  installationId: plain('installation_id'),
  configId: plain('config_id'),
  contentHash: plain('content_hash'),
  connectionId: plain('connection_id'),
  laneId: plain('lane_id'),
});

export type InstallationIds = ReturnType<typeof ids.read>;

/** What of the names does not exist, or the row. */
export type LookupResult =
  | { readonly missing: 'project' | 'integration' | 'group' | 'installation' }
  | { readonly missing?: undefined; readonly ids: InstallationIds };

/** Names an installation whose account is about to be called, with the credentials that the caller holds opened. */
export interface AccountNames extends InstallationNames {
  readonly knownConnectionId?: string;
  readonly knownTokenVersion?: number;
}

/** An installation, and what a call to its account goes by, all of one moment. */
export type AccountLookup =
  | Extract<LookupResult, { readonly missing: string }>
  | {
      readonly missing?: undefined;
      readonly ids: InstallationIds;
      /** How long the account's lane stays blocked, in milliseconds; 0 when it is not. */
      readonly blockedMs: number;
      readonly credentials: ConfirmedCredentials;
    };

const nameColumns = [
  column<InstallationNames>('within_project_id', 'text', (n) => n.withinProjectId),
  column<InstallationNames>('within_group_ref', 'text', (n) => n.withinGroupRef),
  column<InstallationNames>('project_id_or_name', 'text', (n) => n.projectIdOrName),
  column<InstallationNames>('integration_id', 'text', (n) => n.integrationId),
  column<InstallationNames>('group_ref', 'text', (n) => n.groupRef),
];

const accountColumns = [
  ...nameColumns.map(({ name, type, value }) => column<AccountNames>(name, type, value)),
  column<AccountNames>('known_connection_id', 'text', (n) => n.knownConnectionId),
  column<AccountNames>('known_version', 'integer', (n) => n.knownTokenVersion),
];

/** The limit stops it at the id: the name is looked up only where no integration has the id. */
const integrationSql = `lateral (
    select a.id, a.provider, a.latest_revision_id from integrations a where a.project_id = p.id and a.id = w.integration_id
    union all
    select b.id, b.provider, b.latest_revision_id from integrations b where b.project_id = p.id and b.name = w.integration_id
    limit 1) n`;

/** @param names of what is looked up, as rows `w` @param columns besides the ids @param joins what they come from */
const findSql = (names: string, columns = '', joins = ''): string => `
  select p.id as project_id, p.drop_unmapped_fields,
         n.id as integration_id, n.provider, n.latest_revision_id,
         g.group_ref, i.id as installation_id, i.config_id, c.content_hash,
         i.connection_id, k.lane_id${columns}
  from ${names}
  left join projects p on p.id = w.within_project_id
    and (p.id = w.project_id_or_name or p.name = lower(w.project_id_or_name))
  left join ${integrationSql} on true
  left join groups g on g.project_id = p.id and g.group_ref = w.group_ref
    and (w.within_group_ref is null or g.group_ref = w.within_group_ref)
  left join installations i on i.project_id = p.id and i.integration_id = n.id and i.group_ref = g.group_ref
  left join configs c on c.project_id = i.project_id and c.id = i.config_id
  left join connections k on k.project_id = i.project_id and k.id = i.connection_id
  ${joins}
  order by w.ord`;

const findIdsSql = findSql(preparedRowsSql('w', nameColumns));

const isKnownSql = 'k.id = w.known_connection_id and k.token_version = w.known_version';
const findAccountsSql = findSql(
  preparedRowsSql('w', accountColumns),
  `, ${confirmedCredentials.aliased('a').join(', ')},
   coalesce((select ${blockedMsSql('l')} from lanes l where l.project_id = k.project_id and l.id = k.lane_id), 0) as blocked_ms`,
  `left join lateral (select ${accessSql('k')}, ${sealedSql('k', isKnownSql)}) a on true`,
);

interface AccountRow extends StoredRow {
  readonly blocked_ms: number;
}

export function installationLookup(database: Knex) {
  return {
    /** Of one moment in one statement. */
    findAccount: shareReads((names: readonly AccountNames[]) =>
      guard(() => findManyAccounts(database, names), refusedStatement),
    ),
    /** Of one moment in one statement. */
    findIds: shareReads((names: readonly InstallationNames[]) =>
      guard(() => findManyIds(database, names), refusedStatement),
    ),
    findContent: async (projectId: string, hash: string): Promise<ConfigContent | undefined> => {
      const row = await database<{ project_id: string; hash: string; content: string }>('config_contents')
        .where({ project_id: projectId, hash })
        .first();
      return row && (JSON.parse(row.content) as ConfigContent);
    },
  };
}

async function findManyIds(database: Knex, names: readonly InstallationNames[]): Promise<readonly LookupResult[]> {
  const bindings = rowBindings(nameColumns, names) as Knex.Value[];
  // Six tables take longer to plan than to read, so the statement is prepared: once per connection.
  const found = database.raw<{ rows: StoredRow[] }>(findIdsSql, bindings).options({ name: 'find-installations' });
  return (await found).rows.map(toLookupResult);
}

async function findManyAccounts(database: Knex, names: readonly AccountNames[]): Promise<readonly AccountLookup[]> {
  const bindings = rowBindings(accountColumns, names) as Knex.Value[];
  const found = database.raw<{ rows: AccountRow[] }>(findAccountsSql, bindings).options({ name: 'find-accounts' });
  return (await found).rows.map((row) => {
    const result = toLookupResult(row);
    if (result.missing !== undefined) return result;
    return { ...result, blockedMs: row.blocked_ms, credentials: confirmedCredentials.readAs('a', row) };
  });
}

function toLookupResult(row: StoredRow): LookupResult {
  if (row.project_id === null) return { missing: 'project' };
  if (row.integration_id === null) return { missing: 'integration' };
  if (row.group_ref === null) return { missing: 'group' };
  return row.installation_id === null ? { missing: 'installation' } : { ids: ids.read(row) };
}
