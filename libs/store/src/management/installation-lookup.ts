import type { ConfigContent, ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { translated } from './translate-errors';

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
  findContent(projectId: string, hash: string): Promise<ConfigContent | undefined>;
}

interface LookupRow {
  project_id: string;
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

const findIdsSql = `
  select p.id as project_id, p.drop_unmapped_fields,
         n.id as integration_id, n.provider, n.latest_revision_id,
         g.group_ref, i.id as installation_id, i.config_id, c.content_hash,
         i.connection_id, k.status, k.lane_id
  from projects p
  left join integrations n on n.project_id = p.id and n.id = :integrationId
  left join groups g on g.project_id = p.id and g.group_ref = :groupRef
    and (cast(:withinGroupRef as text) is null or g.group_ref = :withinGroupRef)
  left join installations i on i.project_id = p.id and i.integration_id = n.id and i.group_ref = g.group_ref
  left join configs c on c.project_id = i.project_id and c.id = i.config_id
  left join connections k on k.project_id = i.project_id and k.id = i.connection_id
  where p.id = :withinProjectId and (p.id = :projectIdOrName or p.name = lower(:projectIdOrName))`;

export function installationLookup(database: Knex): InstallationLookup {
  return translated<InstallationLookup>({
    findIds: async (names) => {
      const { rows } = await database.raw<{ rows: LookupRow[] }>(findIdsSql, {
        ...names,
        withinGroupRef: names.withinGroupRef ?? null,
      });
      return toLookupResult(rows[0]);
    },
    findContent: async (projectId, hash) => {
      const row = await database<{ project_id: string; hash: string; content: string }>('config_contents')
        .where({ project_id: projectId, hash })
        .first();
      return row && (JSON.parse(row.content) as ConfigContent);
    },
  });
}

function toLookupResult(row: LookupRow | undefined): LookupResult {
  if (row === undefined) return { missing: 'project' };
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
