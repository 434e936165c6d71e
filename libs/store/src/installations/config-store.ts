import type { AuthoredConfig, BoundedPage, Config, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { authorMembers, labelOfAuthor } from '../authors';
import { boundedPage, bytesOf } from '../page';
import { table, type StoredRow } from '../table';
import type { InstallationKey } from './change-installation';
import { configColumns, toConfig } from './installation-row';

/** A config with the one it came after. */
export interface ConfigWithPrevious {
  readonly config: AuthoredConfig;
  /** Absent: it is the installation's first. */
  readonly previous?: Config;
}

/** The history of configs, also of installations that are deleted. Reads only: configs are written with their installation. */
export function configStore(database: Knex) {
  return {
    /** Newest first. Empty from the start: there never was such an installation of the integration. */
    listPage: (installation: InstallationKey, page: Page): Promise<BoundedPage<AuthoredConfig>> => {
      const sizes = selectConfigs(database, installation).clearSelect().select('c.id', bytesOf(database, 't.content'));
      if (page.after !== undefined) void sizes.whereRaw(isBefore, [installation.projectId, page.after]);
      return boundedPage(sizes, page, async (ids) =>
        (await selectConfigs(database, installation).whereIn('c.id', ids)).map(toAuthored),
      );
    },
    find: async (installation: InstallationKey, configId: string): Promise<ConfigWithPrevious | undefined> => {
      const [row] = await selectConfigs(database, installation).where('c.id', configId);
      if (row === undefined) return undefined;
      const before = selectConfigs(database, installation).whereRaw(isBefore, [installation.projectId, configId]);
      const [previous] = await before.limit(1);
      return { config: toAuthored(row), ...(previous && { previous: toConfig(previous) }) };
    },
  };
}

const authors = table({ createdByLabel: authorMembers.createdByLabel });

const toAuthored = (row: StoredRow): AuthoredConfig => ({ ...toConfig(row), ...authors.read(row) });

/** The moments are the database's and taken under the installation's lock, so they are the order; ids come from many processes. */
const isBefore = `(c.created_at, c.id) < (select created_at, id from configs where project_id = ? and id = ?)`;

/** The integration is known from the revision: the installation's row may be gone. */
function selectConfigs(database: Knex, { projectId, installationId, integrationId }: InstallationKey) {
  return database('configs as c')
    .join('revisions as r', { 'r.project_id': 'c.project_id', 'r.id': 'c.revision_id' })
    .join('config_contents as t', { 't.project_id': 'c.project_id', 't.hash': 'c.content_hash' })
    .where({ 'c.project_id': projectId, 'c.installation_id': installationId, 'r.integration_id': integrationId })
    .orderByRaw('c.created_at desc, c.id desc')
    .select<StoredRow[]>([...configColumns, labelOfAuthor(database, 'c')]);
}
