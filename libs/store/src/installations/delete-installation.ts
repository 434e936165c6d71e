import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { uninstalledError } from '../writes/end-uninstalled';
import { endUnsent } from '../writes/end-unsent';
import { eventBindings, installationEventSql } from '../webhooks/notify';
import { guard } from '../guard';
import { deleteConnection } from '../connections/connection-store';
import type { InstallationKey } from './change-installation';

/**
 * Calls that one transaction ends. It holds lanes and order keys, so others wait for it. With as many webhook endpoints as a project may have, it
 * writes 5,000 messages (measured, `libs/store/README.md`).
 */
const callsPerPass = 250;

interface Deleted {
  readonly projectId: string;
  readonly installationId: string;
  readonly connectionId: string;
  /** Where its calls wait: the lanes of all connections of its group, because it may have had another one before. */
  readonly laneIds: readonly string[];
}

/**
 * Deletes an installation whatever is in flight, and its connection if no other installation uses it. In one transaction: 1. the row goes, under a lock that
 * waits for joins under way and that the next join waits for. A row of `deleted_installations` keeps whose it was, for notifications of what ends
 * after it. 2. The lanes, so that nothing is claimed meanwhile.
 * 3. What waits ends as failed, open batches too; operations reach their end. 4. The connection. A call that runs finishes with its lease and is
 * never tried again (`endUninstalled`). A write that is being accepted at this moment ends when an executor claims it (`isUninstalled`). More than
 * 250 waiting calls end in further transactions; if the process dies before them, executors end the rest, too. Operations, records and configs stay.
 * @returns false when there is no such installation
 */
export async function deleteInstallation(
  database: Knex,
  key: InstallationKey,
  failpoints: StoreFailpoints = nowhere,
): Promise<boolean> {
  const deleted = await guard(() => database.transaction((transaction) => uninstall(transaction, key)));
  if (deleted === undefined) return false;
  do await failpoints.hit('st.after_end_round');
  while (await guard(() => database.transaction((transaction) => endSome(transaction, deleted))));
  return true;
}

interface GoneRow {
  readonly group_ref: string;
  readonly connection_id: string;
}

async function uninstall(transaction: Knex.Transaction, key: InstallationKey): Promise<Deleted | undefined> {
  const { projectId, installationId } = key;
  const { rows } = await transaction.raw<{ rows: GoneRow[] }>(
    `with gone as (delete from installations where project_id = :projectId and id = :installationId
       and integration_id = :integrationId returning *),
     notified as (${installationEventSql('gone')}),
     forgotten as (delete from unhealthy_installations u using gone g
       where u.project_id = g.project_id and u.installation_id = g.id),
     remembered as (
       insert into deleted_installations (project_id, id, group_ref, connection_id, consumer_ref)
       select g.project_id, g.id, g.group_ref, g.connection_id, k.consumer_ref from gone g
       left join connections k on k.project_id = g.project_id and k.id = g.connection_id
       on conflict do nothing)
     select group_ref, connection_id from gone`,
    { projectId, installationId, integrationId: key.integrationId, ...eventBindings('installation.deleted') },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const lanes = await transaction('connections')
    .where({ project_id: projectId, group_ref: row.group_ref })
    .distinct<{ lane_id: string }[]>('lane_id');
  const laneIds = lanes.map((lane) => lane.lane_id);
  const deleted = { projectId, installationId, connectionId: row.connection_id, laneIds };
  await endSome(transaction, deleted);
  await transaction('open_batches').where({ project_id: projectId, installation_id: installationId }).delete();
  await deleteUnused(transaction, deleted);
  return deleted;
}

/** @returns whether there was something to end, so that there may be more */
async function endSome(transaction: Knex.Transaction, deleted: Deleted): Promise<boolean> {
  const { projectId, laneIds } = deleted;
  await transaction('lanes')
    .where({ project_id: projectId })
    .whereIn('id', laneIds)
    .orderBy('id')
    .forUpdate()
    .select('id');
  return (await endUnsent(transaction, { ...deleted, error: uninstalledError, limit: callsPerPass })) > 0;
}

/**
 * Not while another installation uses it, or has calls left that were accepted with it. Lock first, read then: an
 * installation that is being made with it holds the row, and is visible to the statement after.
 */
async function deleteUnused(transaction: Knex.Transaction, deleted: Deleted): Promise<void> {
  const { projectId, connectionId, installationId } = deleted;
  await transaction('connections').where({ project_id: projectId, id: connectionId }).forUpdate().select('id');
  await deleteConnection(
    transaction,
    deleted,
    `not exists (select 1 from installations i where i.project_id = k.project_id and i.connection_id = k.id)
       and not exists (select 1 from calls c join operations o on o.project_id = c.project_id and o.id = c.operation_id
                       where c.project_id = k.project_id and c.lane_id = k.lane_id and c.connection_id = k.id
                         and c.state in ('ready', 'in_doubt') and o.installation_id <> :installationId)`,
    { installationId },
  );
}
