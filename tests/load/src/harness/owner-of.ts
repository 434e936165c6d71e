import type { BacklogOwner } from '@sluice/testkit';
import { groupOf } from './customers';
import { withDatabase } from './database';
import type { System } from './system';

/** The rows behind one customer of the benchmark's project: what `fillBacklog` takes. */
export async function ownerOf({ databaseUrl, project }: System, customer: number): Promise<BacklogOwner> {
  return withDatabase(databaseUrl, async (database) => {
    const row = await database('installations')
      .where({ project_id: project.id, group_ref: groupOf(customer) })
      .first<{ id: string; config_id: string; connection_id: string }>('id', 'config_id', 'connection_id');
    return {
      projectId: project.id,
      integrationId: project.integrationId,
      installationId: row.id,
      configId: row.config_id,
      connectionId: row.connection_id,
    };
  });
}
