import { createHash } from 'node:crypto';
import { ConflictError } from '@sluice/errors';
import type { ConfigContent, Installation } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { selectInstallations, toInstallation } from './installation-row';
import { onDuplicate, translated } from './translate-errors';

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
}

export interface InstallationStore {
  /**
   * The installation with its first config, in one transaction.
   * @throws ConflictError `installation.exists` when the group has the integration already
   */
  create(installation: NewInstallation): Promise<Installation>;
  /** Oldest first. Health and last status are computed by the same statement. */
  list(projectId: string, filter?: InstallationFilter): Promise<Installation[]>;
  find(projectId: string, integrationId: string, installationId: string): Promise<Installation | undefined>;
}

export function installationStore(database: Knex): InstallationStore {
  const find = async (projectId: string, integrationId: string, installationId: string) => {
    const narrowed = selectInstallations(database, projectId).where('i.id', installationId);
    const [row] = await narrowed.where('i.integration_id', integrationId);
    return row && toInstallation(row);
  };
  return translated<InstallationStore>({
    create: async (installation) => {
      const ids = { id: newId(), configId: newId() };
      await database.transaction((transaction) => insertInstallation(transaction, ids, installation));
      return (await find(installation.projectId, installation.integrationId, ids.id)) as Installation;
    },
    list: async (projectId, filter = {}) => {
      const query = selectInstallations(database, projectId).orderBy('i.id');
      if (filter.integrationId !== undefined) void query.where('i.integration_id', filter.integrationId);
      if (filter.groupRef !== undefined) void query.where('i.group_ref', filter.groupRef);
      return (await query).map(toInstallation);
    },
    find,
  });
}

async function insertInstallation(
  transaction: Knex.Transaction,
  ids: { readonly id: string; readonly configId: string },
  installation: NewInstallation,
): Promise<void> {
  const { projectId, config } = installation;
  const hash = await insertContent(transaction, projectId, config.content);
  await transaction('configs').insert({
    project_id: projectId,
    id: ids.configId,
    installation_id: ids.id,
    revision_id: config.revisionId,
    content_hash: hash,
    created_by: config.createdBy,
  });
  await transaction('installations')
    .insert({
      project_id: projectId,
      id: ids.id,
      integration_id: installation.integrationId,
      group_ref: installation.groupRef,
      connection_id: installation.connectionId,
      config_id: ids.configId,
      created_by: installation.createdBy,
    })
    .catch(onDuplicate('installations_group', () => alreadyInstalled(installation.groupRef)));
}

/** Stores the text once per project and hash. Key order counts: what was sent is what is returned. */
async function insertContent(
  transaction: Knex.Transaction,
  projectId: string,
  content: ConfigContent,
): Promise<string> {
  const text = JSON.stringify(content);
  const hash = createHash('sha256').update(text).digest('hex');
  await transaction('config_contents')
    .insert({ project_id: projectId, hash, content: text })
    .onConflict(['project_id', 'hash'])
    .ignore();
  return hash;
}

function alreadyInstalled(groupRef: string): ConflictError {
  return new ConflictError({
    code: 'installation.exists',
    detail: `groupRef: the group "${groupRef}" has this integration installed.`,
  });
}
