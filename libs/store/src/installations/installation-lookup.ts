import type { ConfigContent } from '@sluice/types';
import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { plain, table, type StoredRow } from '../table';

/** What a request names an installation by. */
export interface InstallationNames {
  /** The project the caller may use: another one is not found. */
  readonly withinProjectId: string;
  /** The one group the caller may use: another one is not found. @default every group */
  readonly withinGroupRef?: string;
  readonly projectIdOrName: string;
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

const nameColumns = [
  column<InstallationNames>('within_project_id', 'text', (n) => n.withinProjectId),
  column<InstallationNames>('within_group_ref', 'text', (n) => n.withinGroupRef),
  column<InstallationNames>('project_id_or_name', 'text', (n) => n.projectIdOrName),
  column<InstallationNames>('integration_id', 'text', (n) => n.integrationId),
  column<InstallationNames>('group_ref', 'text', (n) => n.groupRef),
];

const findIdsSql = `
  select p.id as project_id, p.drop_unmapped_fields,
         n.id as integration_id, n.provider, n.latest_revision_id,
         g.group_ref, i.id as installation_id, i.config_id, c.content_hash,
         i.connection_id, k.lane_id
  from ${keptRowsSql('w', nameColumns)}
  left join projects p on p.id = w.within_project_id
    and (p.id = w.project_id_or_name or p.name = lower(w.project_id_or_name))
  left join integrations n on n.project_id = p.id and n.id = w.integration_id
  left join groups g on g.project_id = p.id and g.group_ref = w.group_ref
    and (w.within_group_ref is null or g.group_ref = w.within_group_ref)
  left join installations i on i.project_id = p.id and i.integration_id = n.id and i.group_ref = g.group_ref
  left join configs c on c.project_id = i.project_id and c.id = i.config_id
  left join connections k on k.project_id = i.project_id and k.id = i.connection_id
  order by w.ord`;

export function installationLookup(database: Knex) {
  const findManyIds = async (names: readonly InstallationNames[]): Promise<readonly LookupResult[]> => {
    const bindings = rowBindings(nameColumns, names) as Knex.Value[];
    // Six tables take longer to plan than to read, so the statement is prepared: once per connection.
    const found = database.raw<{ rows: StoredRow[] }>(findIdsSql, bindings).options({ name: 'find-installations' });
    return (await found).rows.map(toLookupResult);
  };
  return {
    /** One statement. */
    findIds: async (names: InstallationNames): Promise<LookupResult> => (await findManyIds([names]))[0] as LookupResult,
    /** One statement for all; returns in their order. */
    findManyIds,
    findContent: async (projectId: string, hash: string): Promise<ConfigContent | undefined> => {
      const row = await database<{ project_id: string; hash: string; content: string }>('config_contents')
        .where({ project_id: projectId, hash })
        .first();
      return row && (JSON.parse(row.content) as ConfigContent);
    },
  };
}

function toLookupResult(row: StoredRow): LookupResult {
  if (row.project_id === null) return { missing: 'project' };
  if (row.integration_id === null) return { missing: 'integration' };
  if (row.group_ref === null) return { missing: 'group' };
  return row.installation_id === null ? { missing: 'installation' } : { ids: ids.read(row) };
}
