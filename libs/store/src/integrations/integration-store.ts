import { ConflictError } from '@sluice/errors';
import type { BoundedPage, Integration, ManifestIntegration, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { authorMembers, labelOfAuthor } from '../authors';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { newId } from '../new-id';
import { boundedPage, bytesOf } from '../page';
import { json, moment, plain, table, times, type StoredRow } from '../table';

/** Its name is unique in the project. */
export interface NewIntegration
  extends Pick<Integration, 'projectId' | 'name' | 'provider'>, Pick<StoredRevision, 'specVersion' | 'content'> {
  /** Who deploys it. */
  readonly createdBy?: string;
}

const integrations = table({
  id: plain('id'),
  projectId: plain('project_id'),
  name: plain('name'),
  provider: plain('provider'),
  ...times,
});

/** The content of a revision never changes. */
const revisions = table({
  id: plain('id'),
  specVersion: plain('spec_version'),
  createTime: moment('created_at'),
  content: json<ManifestIntegration>('content'),
});

/** Beside the latest revision of an integration alone. */
const authors = table(authorMembers);

/** A revision with the integration it belongs to. */
export interface StoredRevision extends ReturnType<typeof revisions.read> {
  readonly integrationId: string;
}

export function integrationStore(database: Knex) {
  const select = (projectId: string) => selectIntegrations(database, projectId);
  const byIds = async (projectId: string, ids: readonly string[]) =>
    (await select(projectId).whereIn('i.id', ids).orderBy('i.id')).map(toIntegration);
  return {
    /** @throws ConflictError `integration.name-taken` */
    create: async (integration: NewIntegration): Promise<Integration> => {
      const id = await database.transaction((transaction) => insertIntegration(transaction, integration));
      if (id === undefined) throw nameTaken(integration.name);
      // Guarded by itself: a repetition of the whole would meet what it has made.
      const [made] = await guard(() => byIds(integration.projectId, [id]), refusedStatement);
      return made as Integration;
    },
    /**
     * Creates each by its name, or gives it a new revision when its content differs; all or none.
     * @throws ConflictError `integration.name-taken` when a name stands for another provider
     */
    putAll: async (projectId: string, given: readonly NewIntegration[]): Promise<Integration[]> => {
      const ids: string[] = [];
      await database.transaction(async (transaction) => {
        // In the order of their names, so that two calls at once do not wait for each other in a circle.
        for (const integration of [...given].sort((a, b) => (a.name < b.name ? -1 : 1))) {
          ids.push(await putIntegration(transaction, integration));
        }
      });
      return await byIds(projectId, ids);
    },
    /**
     * What `putAll` would find, in the order of what is given: the integration there is, and whether its content is the same.
     * @throws ConflictError as `putAll`
     */
    compareAll: async (projectId: string, given: readonly NewIntegration[]): Promise<Comparison[]> => {
      const names = given.map(({ name }) => name);
      const rows = await select(projectId).whereIn('i.name', names);
      return given.map((integration) => compare(rows, integration));
    },
    /** Bytes of the contents that these names have now. */
    bytesOfAll: async (projectId: string, names: readonly string[]): Promise<number> => {
      const rows = await select(projectId)
        .clearSelect()
        .select<{ bytes: number }[]>(bytesOf(database, 'r.content'))
        .whereIn('i.name', names);
      return rows.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    /** Oldest first, each with its latest revision. */
    listPage: (projectId: string, page: Page): Promise<BoundedPage<Integration>> => {
      const sizes = select(projectId).clearSelect().select('i.id', bytesOf(database, 'r.content')).orderBy('i.id');
      if (page.after !== undefined) void sizes.where('i.id', '>', page.after);
      return boundedPage(sizes, page, (ids) => byIds(projectId, ids));
    },
    /** By id or name; an id wins over an equal name. */
    find: async (projectId: string, idOrName: string): Promise<Integration | undefined> => {
      const named = select(projectId).where(
        (either) => void either.where('i.id', idOrName).orWhere('i.name', idOrName),
      );
      const [row] = await named.orderByRaw('(i.id = ?) desc', [idOrName]);
      return row && toIntegration(row);
    },
    findRevision: async (projectId: string, revisionId: string): Promise<StoredRevision | undefined> => {
      const row = await database<{ project_id: string; id: string; integration_id: string }>('revisions')
        .where({ project_id: projectId, id: revisionId })
        .first();
      return row && { ...revisions.read(row), integrationId: row.integration_id };
    },
    /** Only where no group has it installed. Its revisions stay. */
    remove: (projectId: string, integrationId: string): Promise<IntegrationDeletion> =>
      database.transaction((transaction) => deleteIntegration(transaction, projectId, integrationId)),
  };
}

function selectIntegrations(database: Knex, projectId: string) {
  return database('integrations as i')
    .join('revisions as r', { 'r.project_id': 'i.project_id', 'r.id': 'i.latest_revision_id' })
    .where('i.project_id', projectId)
    .select<StoredRow[]>([
      ...integrations.aliased('i'),
      ...revisions.aliased('r'),
      'r.created_by',
      labelOfAuthor(database, 'r'),
    ]);
}

function toIntegration(row: StoredRow): Integration {
  return { ...integrations.readAs('i', row), latestRevision: { ...revisions.readAs('r', row), ...authors.read(row) } };
}

function nameTaken(name: string): ConflictError {
  return new ConflictError({
    code: 'integration.name-taken',
    detail: `name: this project has an integration called "${name}".`,
  });
}

/** Inserts the integration with its first revision. Undefined when the name is taken. */
async function insertIntegration(
  transaction: Knex.Transaction,
  integration: NewIntegration,
): Promise<string | undefined> {
  const { projectId, name, provider } = integration;
  const ids = { id: newId(), latest_revision_id: newId() };
  const rows = await transaction('integrations')
    .insert({ project_id: projectId, name, provider, ...ids })
    .onConflict(['project_id', 'name'])
    .ignore()
    .returning<{ id: string }[]>('id');
  if (rows.length === 0) return undefined;
  await insertRevision(transaction, integration, { integrationId: ids.id, revisionId: ids.latest_revision_id });
  return ids.id;
}

/** An integration that is given, against the one of its name. */
export interface Comparison {
  /** Absent: there is none. */
  readonly standing?: Integration;
  /** It would get no revision: in another order of its members it is another content. */
  readonly isSame?: boolean;
}

function compare(rows: readonly StoredRow[], integration: NewIntegration): Comparison {
  const row = rows.find((each) => each['i_name'] === integration.name);
  if (row === undefined) return {};
  const standing = toIntegration(row);
  if (standing.provider !== integration.provider) throw providerFixed(integration, standing.provider);
  const isSameVersion = standing.latestRevision.specVersion === integration.specVersion;
  return { standing, isSame: isSameVersion && row['r_content'] === JSON.stringify(integration.content) };
}

/** Inserts the integration, or gives the one of this name a new revision when its content differs. Returns its id. */
async function putIntegration(transaction: Knex.Transaction, integration: NewIntegration): Promise<string> {
  const { projectId } = integration;
  const insertedId = await insertIntegration(transaction, integration);
  if (insertedId !== undefined) return insertedId;
  const [row] = await selectIntegrations(transaction, projectId).where('i.name', integration.name).forUpdate('i');
  // It was deleted between the two statements, so the name is free.
  if (row === undefined) return await putIntegration(transaction, integration);
  const { standing, isSame } = compare([row], integration) as Required<Comparison>;
  const { id } = standing;
  if (isSame) return id;
  const revisionId = newId();
  await insertRevision(transaction, integration, { integrationId: id, revisionId });
  await transaction('integrations')
    .where({ project_id: projectId, id })
    .update({ latest_revision_id: revisionId, updated_at: transaction.fn.now() });
  return id;
}

async function insertRevision(
  transaction: Knex.Transaction,
  integration: NewIntegration,
  ids: { readonly integrationId: string; readonly revisionId: string },
): Promise<void> {
  const { projectId, specVersion, content, createdBy } = integration;
  const row = { ...revisions.write({ id: ids.revisionId, specVersion, content }), created_by: createdBy };
  await transaction('revisions').insert({ ...row, project_id: projectId, integration_id: ids.integrationId });
}

function providerFixed(integration: NewIntegration, provider: string): ConflictError {
  return new ConflictError({
    code: 'integration.name-taken',
    detail: `provider: the integration "${integration.name}" is for ${provider} and cannot change to ${integration.provider}.`,
    remedy: 'Give the integration for the other provider a name of its own.',
  });
}

/** `installed`: it still has installations, which are deleted first. */
type IntegrationDeletion = 'deleted' | 'installed' | 'absent';

/**
 * Deletes an integration that no group has installed. Lock first, read then: an installation that is being made holds the row
 * (`holdRow`), and is visible to the statement after. Its name is free then. Its revisions stay: configs and operations
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
