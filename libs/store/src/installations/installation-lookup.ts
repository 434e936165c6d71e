import type { ConfigContent, ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { translated } from '../translate-errors';

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

/** A small row of ids: what it takes to know whether anything changed. Contents are read by their immutable keys. */
export interface InstallationIds {
  readonly projectId: string;
  readonly dropUnmappedFields: boolean;
  readonly integrationId: string;
  readonly provider: string;
  /** Latest revision of the integration: the manifest in force. */
  readonly revisionId: string;
  readonly groupRef: string;
  readonly installationId: string;
  readonly configId: string;
  readonly contentHash: string;
  readonly connectionId: string;
  readonly connectionStatus: ConnectionStatus;
  readonly laneId: string;
}

/** What of the names does not exist, or the row. */
export type LookupResult =
  | { readonly missing: 'project' | 'integration' | 'group' | 'installation' }
  | { readonly missing?: undefined; readonly ids: InstallationIds };

export interface InstallationLookup {
  /** One statement. */
  findIds(names: InstallationNames): Promise<LookupResult>;
  /** One statement for all; answers in their order. */
  findManyIds(names: readonly InstallationNames[]): Promise<readonly LookupResult[]>;
  findContent(projectId: string, hash: string): Promise<ConfigContent | undefined>;
}

interface LookupRow {
  project_id: string | null;
  drop_unmapped_fields: boolean;
  integration_id: string | null;
  provider: string;
  latest_revision_id: string;
  group_ref: string | null;
  installation_id: string | null;
  config_id: string;
  content_hash: string;
  connection_id: string;
  status: ConnectionStatus;
  lane_id: string;
}

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
         i.connection_id, k.status, k.lane_id
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

export function installationLookup(database: Knex): InstallationLookup {
  const findManyIds = async (names: readonly InstallationNames[]): Promise<readonly LookupResult[]> => {
    const bindings = rowBindings(nameColumns, names) as Knex.Value[];
    // Six tables take longer to plan than to read, so the plan is kept: one per connection.
    const asked = database.raw<{ rows: LookupRow[] }>(findIdsSql, bindings).options({ name: 'find-installations' });
    return (await asked).rows.map(toLookupResult);
  };
  return translated<InstallationLookup>({
    findIds: async (names) => (await findManyIds([names]))[0] as LookupResult,
    findManyIds,
    findContent: async (projectId, hash) => {
      const row = await database<{ project_id: string; hash: string; content: string }>('config_contents')
        .where({ project_id: projectId, hash })
        .first();
      return row && (JSON.parse(row.content) as ConfigContent);
    },
  });
}

function toLookupResult(row: LookupRow): LookupResult {
  if (row.project_id === null) return { missing: 'project' };
  if (row.integration_id === null) return { missing: 'integration' };
  if (row.group_ref === null) return { missing: 'group' };
  if (row.installation_id === null) return { missing: 'installation' };
  return {
    ids: {
      projectId: row.project_id,
      dropUnmappedFields: row.drop_unmapped_fields,
      integrationId: row.integration_id,
      provider: row.provider,
      revisionId: row.latest_revision_id,
      groupRef: row.group_ref,
      installationId: row.installation_id,
      configId: row.config_id,
      contentHash: row.content_hash,
      connectionId: row.connection_id,
      connectionStatus: row.status,
      laneId: row.lane_id,
    },
  };
}
