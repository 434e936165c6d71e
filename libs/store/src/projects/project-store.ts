import { ConflictError } from '@sluice/errors';
import { projectNameOf, type BoundedPage, type Page, type Project, type UpdateProjectRequest } from '@sluice/types';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { bound } from '../database';
import { newId } from '../new-id';
import { isRefusedByServer, neverReached, onDuplicate } from '../database-errors';
import { pageOfRows } from '../page';
import { json, optional, plain, table, times, type StoredRow } from '../table';
import { eraseProject, type Erasure } from './erase-project';
import { readSetup } from './read-setup';

export interface NewProject {
  /** Unique among the names that the bootstrap key gave, whatever the case. */
  readonly name: string;
  readonly appName: string;
  readonly orgId: string;
}

/** What of a project can change; what is absent stays. */
export type ProjectChange = UpdateProjectRequest['project'];

const projects = table({
  id: plain('id'),
  name: { ...plain('name'), write: projectNameOf },
  appName: plain('app_name'),
  orgId: plain('org_id'),
  ...times,
  dropUnmappedFields: plain<boolean>('drop_unmapped_fields'),
  connectOrigins: optional(json<readonly string[]>('connect_origins')),
  // Empty: ours again.
  connectColor: optional({ ...plain('connect_color'), write: (color) => color || null }),
});

export function projectStore(database: Knex, failpoints: StoreFailpoints = nowhere) {
  const visible = (withinProjectId?: string) => {
    const query = database('projects').select<StoredRow[]>('*');
    return withinProjectId === undefined ? query : query.where('id', withinProjectId);
  };
  return {
    /** @throws ConflictError `project.name-taken` */
    create: async (project: NewProject): Promise<Project> => {
      const inserted = database('projects')
        .insert(projects.write({ ...project, id: newId() }))
        .returning('*');
      return projects.first(
        await inserted.catch(onDuplicate('projects_name', () => nameTaken(project.name))),
      ) as Project;
    },
    /** All projects, or only the named one: what a key of that project may see. */
    listPage: (withinProjectId: string | undefined, page: Page): Promise<BoundedPage<Project>> =>
      pageOfRows(visible(withinProjectId), page, projects.read),
    /**
     * By id or name; an id wins over an equal name, and a name that the bootstrap key gave over one that a project gave itself. With
     * `withinProjectId` another project is not found, in the same statement and the same time as one that does not exist.
     */
    find: async (idOrName: string, withinProjectId?: string): Promise<Project | undefined> => {
      const named = visible(withinProjectId).where(
        (either) => void either.where('id', idOrName).orWhere('name', projectNameOf(idOrName)),
      );
      return projects.first(await named.orderByRaw('(id = ?) desc, is_named_by_key, id', [idOrName]).limit(1));
    },
    /**
     * Moves `updateTime` only when something differs. Undefined when there is no such project.
     * @param isByKey the request has a key of the project itself: it may take any name, because a refusal would reveal that another project has it
     * @throws ConflictError `project.name-taken`
     */
    update: async (projectId: string, change: ProjectChange, isByKey = false): Promise<Project | undefined> => {
      const columns = projects.write(change);
      if (Object.keys(columns).length > 0) {
        await database('projects')
          .where('id', projectId)
          .where((differs) => {
            for (const pair of Object.entries(columns)) void differs.orWhereRaw('?? is distinct from ?', pair as never);
          })
          .update({
            ...columns,
            ...(change.name !== undefined && { is_named_by_key: isByKey }),
            updated_at: database.fn.now(),
          })
          .catch(onDuplicate('projects_name', () => nameTaken(change.name ?? '')));
      }
      return projects.first(await visible(projectId));
    },
    ...bound(database, { remove: deleteProject, removed: listDeletions, readSetup }),
    /** One pass of erasing a project that was removed, to be repeated; any process may do so, also beside another one. */
    erase: (projectId: string): Promise<Erasure> => eraseProject({ database, projectId, failpoints }),
  };
}

function nameTaken(name: string): ConflictError {
  return new ConflictError({ code: 'project.name-taken', detail: `name: another project is called "${name}".` });
}

/**
 * Deletes what makes a project reachable in one transaction: its row, so that its name is free and no request finds it, and its keys.
 * The rest goes in passes (`eraseProject`), for as long as the row in `project_deletions` is there.
 * A COMMIT whose answer is lost is looked up: the caller may have no key any more to repeat the request. Another try waits for it if it
 * is still under way.
 * @returns false when there is no such project
 */
async function deleteProject(database: Knex, projectId: string): Promise<boolean> {
  const attempt = () => database.transaction((transaction) => deleteReachable(transaction, projectId));
  try {
    return await attempt();
  } catch (error) {
    if (isRefusedByServer(error) || neverReached(error)) throw error;
    return (await attempt()) || (await listDeletions(database)).includes(projectId);
  }
}

async function deleteReachable(transaction: Knex.Transaction, projectId: string): Promise<boolean> {
  if ((await transaction('projects').where({ id: projectId }).delete()) === 0) return false;
  await transaction('project_deletions').insert({ project_id: projectId });
  await transaction('api_keys').where({ project_id: projectId }).delete();
  await transaction('jwt_keys').where({ project_id: projectId }).delete();
  return true;
}

/** Ids of the projects whose rows are not all gone, the oldest deletion first. */
async function listDeletions(database: Knex): Promise<string[]> {
  const rows = await database('project_deletions')
    .orderBy('requested_at')
    .select<{ project_id: string }[]>('project_id');
  return rows.map((row) => row.project_id);
}
