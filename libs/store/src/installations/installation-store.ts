import { ConflictError } from '@sluice/errors';
import type { BoundedPage, ConfigContent, Installation, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { bound } from '../database';
import { onDuplicate, refusedStatement } from '../database-errors';
import type { StoreFailpoints } from '../failpoints';
import { guard } from '../guard';
import { largeColumns } from '../connections/connection-row';
import { newId } from '../new-id';
import { boundedPage, bytesOf } from '../page';
import { notifyInstallation } from '../webhooks/notify';
import { turnHealth } from '../health';
import {
  changeInstallation,
  holdRow,
  insertConfig,
  type InstallationKey,
  type ReviseInstallation,
} from './change-installation';
import { deleteInstallation } from './delete-installation';
import { listGroupHealth } from './group-health';
import { listInstallationHealth } from './installation-health';
import { ofConfigsSql, ofSizesSql, selectInstallations, toInstallation } from './installation-row';

export interface NewInstallation {
  readonly projectId: string;
  readonly integrationId: string;
  readonly groupRef: string;
  readonly connectionId: string;
  /** `consumer:<consumerRef>`. */
  readonly createdBy: string;
  readonly config: {
    readonly revisionId: string;
    readonly content: ConfigContent;
    readonly createdBy: string;
  };
}

export interface InstallationFilter {
  readonly integrationId?: string;
  readonly groupRef?: string;
  /** The one group the caller may see, besides the filter's. @default every group */
  readonly withinGroupRef?: string;
}

export function installationStore(database: Knex, failpoints: StoreFailpoints) {
  return {
    /**
     * The installation with its first config, in one transaction.
     * @throws ConflictError `installation.exists` when the group has the integration already
     * @throws NotFoundError `connection.not-found`, `integration.not-found` when it was deleted meanwhile
     */
    create: async (installation: NewInstallation): Promise<Installation> => {
      const id = newId();
      await database.transaction((transaction) => insertInstallation(transaction, id, installation));
      const key = { ...installation, installationId: id };
      // Guarded by itself: a repetition of the whole would meet what it has made.
      return (await guard(() => findInstallation(database, key), refusedStatement)) as Installation;
    },
    /** Oldest first. Health and last status are computed by the same statement. */
    list: async (projectId: string, filter: InstallationFilter = {}): Promise<Installation[]> => {
      const query = selectInstallations(database, projectId).orderBy('i.id');
      return (await narrowed(query, filter)).map(toInstallation);
    },
    /** Oldest first. */
    listPage: (projectId: string, filter: InstallationFilter, page: Page): Promise<BoundedPage<Installation>> => {
      // The page is cut before the joins of what is shown: for a hundred rows of everything they cost as much as the whole list.
      const sizes = selectContents(database, projectId)
        .joinRaw(ofSizesSql)
        .select('i.id', bytesOf(database, 't.content', ...largeColumns));
      if (page.after !== undefined) void sizes.where('i.id', '>', page.after);
      return boundedPage(narrowed(sizes, filter), page, async (ids) =>
        (await selectInstallations(database, projectId).whereIn('i.id', ids).orderBy('i.id')).map(toInstallation),
      );
    },
    ...bound(database, { listHealth: listInstallationHealth, listGroups: listGroupHealth }),
    find: (projectId: string, integrationId: string, installationId: string): Promise<Installation | undefined> =>
      findInstallation(database, { projectId, integrationId, installationId }),
    /** Of the installations of an integration whose config has one of these objects under `read`. Oldest first. */
    idsReading: async (projectId: string, integrationId: string, objectNames: readonly string[]): Promise<string[]> => {
      const ids = selectContents(database, projectId)
        .where('i.integration_id', integrationId)
        .whereRaw(readsOneOfSql, [[...objectNames]]);
      return (await ids.select<{ id: string }[]>('i.id')).map(({ id }) => id);
    },
    /**
     * Lets `revise` decide on the state as it is now, under the installation's lock: no change of another caller is lost.
     * A new content makes a new config with the latest revision and moves `updateTime`; no difference makes nothing.
     * Undefined when there is no such installation.
     */
    change: (key: InstallationKey, revise: ReviseInstallation): Promise<Installation | undefined> =>
      database.transaction(async (transaction) => {
        const isFound = await changeInstallation(transaction, key, revise);
        // Still under the lock: the answer shows this change and none that came after it.
        return isFound ? await findInstallation(transaction, key) : undefined;
      }),
    /** Ends what waits, and deletes the connection with it if no other installation uses that. False when there is no such installation. */
    remove: (key: InstallationKey): Promise<boolean> => deleteInstallation(database, key, failpoints),
  };
}

/** The contents `t` of the installations `i` of a project, oldest first. */
function selectContents(database: Knex, projectId: string) {
  return database('installations as i').joinRaw(ofConfigsSql).where('i.project_id', projectId).orderBy('i.id');
}

/** `json` and not `jsonb`, which takes no escaped NUL: a value in a config may have one. */
const readsOneOfSql = `exists (
  select from json_object_keys(t.content::json -> 'read' -> 'objects') name where name = any(?::text[]))`;

function narrowed<Query extends Knex.QueryBuilder>(query: Query, filter: InstallationFilter): Query {
  const { integrationId, groupRef, withinGroupRef } = filter;
  if (integrationId !== undefined) void query.where('i.integration_id', integrationId);
  if (groupRef !== undefined) void query.where('i.group_ref', groupRef);
  if (withinGroupRef !== undefined) void query.where('i.group_ref', withinGroupRef);
  return query;
}

async function findInstallation(database: Knex, key: InstallationKey): Promise<Installation | undefined> {
  const query = selectInstallations(database, key.projectId).where('i.id', key.installationId);
  const [row] = await query.where('i.integration_id', key.integrationId);
  return row && toInstallation(row);
}

async function insertInstallation(
  transaction: Knex.Transaction,
  id: string,
  installation: NewInstallation,
): Promise<void> {
  const { projectId } = installation;
  const config = await insertConfig(transaction, { projectId, installationId: id, ...installation.config });
  await transaction('installations')
    .insert({
      project_id: projectId,
      id,
      integration_id: installation.integrationId,
      group_ref: installation.groupRef,
      connection_id: installation.connectionId,
      config_id: config.id,
      created_by: installation.createdBy,
    })
    .catch(onDuplicate('installations_group', () => alreadyInstalled(installation.groupRef)));
  await holdRow(transaction, 'connection', { projectId, id: installation.connectionId });
  await holdRow(transaction, 'integration', { projectId, id: installation.integrationId });
  await notifyInstallation(transaction, 'installation.created', { projectId, installationId: id });
  await turnHealth(transaction, [{ project_id: projectId, installation_id: id }]);
}

function alreadyInstalled(groupRef: string): ConflictError {
  return new ConflictError({
    code: 'installation.exists',
    detail: `groupRef: the group "${groupRef}" has this integration installed.`,
  });
}
