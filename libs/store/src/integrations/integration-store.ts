import { ConflictError } from '@sluice/errors';
import type { BoundedPage, Integration, ManifestIntegration, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { boundedPage, bytesOfContent } from '../page';
import { resourceTimes } from '../resource-time';
import { translated } from '../translate-errors';
import { insertIntegration, putIntegration, type NewIntegration } from './put-integration';

/** A revision with the integration it belongs to. Its content never changes. */
export interface StoredRevision {
  readonly id: string;
  readonly integrationId: string;
  readonly specVersion: string;
  readonly createTime: string;
  readonly content: ManifestIntegration;
}

export interface IntegrationStore {
  /** @throws ConflictError `integration.name-taken` */
  create(integration: NewIntegration): Promise<Integration>;
  /**
   * Creates each by its name, or gives it a new revision when its content differs; all or none.
   * @throws ConflictError `integration.name-taken` when a name stands for another provider
   */
  putAll(projectId: string, integrations: readonly NewIntegration[]): Promise<Integration[]>;
  /** Oldest first, each with its latest revision. */
  listPage(projectId: string, page: Page): Promise<BoundedPage<Integration>>;
  /** By id or name; an id wins over an equal name. */
  find(projectId: string, idOrName: string): Promise<Integration | undefined>;
  findRevision(projectId: string, revisionId: string): Promise<StoredRevision | undefined>;
  /** Only where nobody has it installed. Its revisions stay. */
  remove(projectId: string, integrationId: string): Promise<IntegrationDeletion>;
}

interface RevisionRow {
  project_id: string;
  id: string;
  integration_id: string;
  spec_version: string;
  content: string;
  created_at: Date;
}

interface IntegrationRow {
  project_id: string;
  id: string;
  name: string;
  provider: string;
  created_at: Date;
  updated_at: Date | null;
  revision_id: string;
  spec_version: string;
  content: string;
  revised_at: Date;
}

export function integrationStore(database: Knex): IntegrationStore {
  const select = (projectId: string) => selectIntegrations(database, projectId);
  const byIds = async (projectId: string, ids: readonly string[]) =>
    (await select(projectId).whereIn('i.id', ids).orderBy('i.id')).map(toIntegration);
  return translated<IntegrationStore>({
    create: async (integration) => {
      const id = await database.transaction((transaction) => insertIntegration(transaction, integration));
      if (id === undefined) throw nameTaken(integration.name);
      return (await byIds(integration.projectId, [id]))[0] as Integration;
    },
    putAll: async (projectId, integrations) => {
      const ids: string[] = [];
      await database.transaction(async (transaction) => {
        // In the order of their names, so that two calls at once do not wait for each other in a circle.
        for (const integration of [...integrations].sort((a, b) => (a.name < b.name ? -1 : 1))) {
          ids.push(await putIntegration(transaction, integration));
        }
      });
      return await byIds(projectId, ids);
    },
    listPage: (projectId, page) => {
      const sizes = select(projectId).clearSelect().select('i.id', bytesOfContent(database, 'r')).orderBy('i.id');
      if (page.after !== undefined) void sizes.where('i.id', '>', page.after);
      return boundedPage(sizes, page, (ids) => byIds(projectId, ids));
    },
    find: async (projectId, idOrName) => {
      const named = select(projectId).where(
        (either) => void either.where('i.id', idOrName).orWhere('i.name', idOrName),
      );
      const [row] = await named.orderByRaw('(i.id = ?) desc', [idOrName]);
      return row && toIntegration(row);
    },
    findRevision: async (projectId, revisionId) => {
      const row = await database<RevisionRow>('revisions').where({ project_id: projectId, id: revisionId }).first();
      return row && toRevision(row);
    },
    remove: (projectId, integrationId) =>
      database.transaction((transaction) => deleteIntegration(transaction, projectId, integrationId)),
  });
}

function selectIntegrations(database: Knex, projectId: string) {
  return database('integrations as i')
    .join('revisions as r', { 'r.project_id': 'i.project_id', 'r.id': 'i.latest_revision_id' })
    .where('i.project_id', projectId)
    .select<IntegrationRow[]>(
      'i.*',
      'r.id as revision_id',
      'r.spec_version',
      'r.content',
      'r.created_at as revised_at',
    );
}

function nameTaken(name: string): ConflictError {
  return new ConflictError({
    code: 'integration.name-taken',
    detail: `name: this project has an integration called "${name}".`,
  });
}

function parseManifest(text: string): ManifestIntegration {
  return JSON.parse(text) as ManifestIntegration;
}

function toRevision(row: RevisionRow): StoredRevision {
  return {
    id: row.id,
    integrationId: row.integration_id,
    specVersion: row.spec_version,
    createTime: row.created_at.toISOString(),
    content: parseManifest(row.content),
  };
}

function toIntegration(row: IntegrationRow): Integration {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    provider: row.provider,
    ...resourceTimes(row),
    latestRevision: {
      id: row.revision_id,
      specVersion: row.spec_version,
      createTime: row.revised_at.toISOString(),
      content: parseManifest(row.content),
    },
  };
}

/** `installed`: it still has installations, which are deleted first. */
type IntegrationDeletion = 'deleted' | 'installed' | 'absent';

/**
 * Deletes an integration that nobody has installed. Lock first, look then: an installation that is being made holds the row
 * (`holdIntegration`), and is seen by the statement after. Its name is free then. Its revisions stay: configs and operations
 * name them.
 */
async function deleteIntegration(
  transaction: Knex.Transaction,
  projectId: string,
  integrationId: string,
): Promise<IntegrationDeletion> {
  const row = { project_id: projectId, id: integrationId };
  const locked = await transaction('integrations').where(row).forUpdate().select('id');
  if (locked.length === 0) return 'absent';
  const installed = await transaction('installations')
    .where({ project_id: projectId, integration_id: integrationId })
    .first('id');
  if (installed !== undefined) return 'installed';
  await transaction('integrations').where(row).delete();
  return 'deleted';
}
