import { ConflictError } from '@sluice/errors';
import { projectNameOf, type Project, type UpdateProjectRequest } from '@sluice/types';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { newId } from '../new-id';
import { resourceTimes } from '../resource-time';
import { onDuplicate, translated } from '../translate-errors';
import { isRefusedByServer, neverReached } from '../database';
import { eraseProject, type Erasure } from './erase-project';

export interface NewProject {
  /** Unique among the names that the bootstrap key gave, whatever the case. */
  readonly name: string;
  readonly appName: string;
  readonly orgId: string;
}

/** What of a project can change; what is absent stays. */
export type ProjectChange = UpdateProjectRequest['project'];

export interface ProjectStore {
  /** @throws ConflictError `project.name-taken` */
  create(project: NewProject): Promise<Project>;
  /** All projects, or only the named one: what a key of that project may see. Oldest first. */
  list(withinProjectId?: string): Promise<Project[]>;
  /**
   * By id or name; an id wins over an equal name, and a name that the bootstrap key gave over one that a project gave itself. With `withinProjectId` another project is not found, in the same
   * statement and the same time as one that does not exist.
   */
  find(idOrName: string, withinProjectId?: string): Promise<Project | undefined>;
  /**
   * Moves `updateTime` only when something differs. Undefined when there is no such project.
   * @param isByKey a key of the project itself asks: it may take any name, because a refusal would say that another project has it
   * @throws ConflictError `project.name-taken`
   */
  update(projectId: string, change: ProjectChange, isByKey?: boolean): Promise<Project | undefined>;
  /** Its name is free and its keys are nobody's at once; the rest is `erase`'s. False when there is no such project. */
  remove(projectId: string): Promise<boolean>;
  /** Ids of the projects that were removed and are not erased yet, the oldest removal first. */
  removed(): Promise<string[]>;
  /** One round of erasing a project that was removed, to be repeated; any process may do so, also beside another one. */
  erase(projectId: string): Promise<Erasure>;
}

interface ProjectRow {
  id: string;
  name: string;
  app_name: string;
  org_id: string;
  drop_unmapped_fields: boolean;
  is_named_by_key: boolean;
  created_at: Date;
  updated_at: Date | null;
}

export function projectStore(database: Knex, failpoints: StoreFailpoints = nowhere): ProjectStore {
  const visible = (withinProjectId?: string) => {
    const query = database<ProjectRow>('projects').select('*');
    return withinProjectId === undefined ? query : query.where('id', withinProjectId);
  };
  return translated<ProjectStore>({
    create: async (project) => {
      const row = { id: newId(), name: projectNameOf(project.name), app_name: project.appName, org_id: project.orgId };
      const rows = await database<ProjectRow>('projects')
        .insert(row)
        .returning('*')
        .catch(onDuplicate('projects_name', () => nameTaken(project.name)));
      return toProject(rows[0] as ProjectRow);
    },
    list: async (withinProjectId) => (await visible(withinProjectId).orderBy('id')).map(toProject),
    find: async (idOrName, withinProjectId) => {
      const row = await visible(withinProjectId)
        .where((named) => void named.where('id', idOrName).orWhere('name', projectNameOf(idOrName)))
        .orderByRaw('(id = ?) desc, is_named_by_key, id', [idOrName])
        .first();
      return row && toProject(row);
    },
    update: async (projectId, change, isByKey = false) => {
      const columns = Object.entries(toColumns(change));
      if (columns.length > 0) {
        await database<ProjectRow>('projects')
          .where('id', projectId)
          .where((differs) => {
            for (const [column, value] of columns) void differs.orWhereRaw('?? is distinct from ?', [column, value]);
          })
          .update({
            ...toColumns(change),
            ...(change.name !== undefined && { is_named_by_key: isByKey }),
            updated_at: database.fn.now(),
          })
          .catch(onDuplicate('projects_name', () => nameTaken(change.name ?? '')));
      }
      const row = await database<ProjectRow>('projects').where('id', projectId).first();
      return row && toProject(row);
    },
    remove: (projectId) => deleteProject(database, projectId),
    removed: () => listDeletions(database),
    erase: (projectId) => eraseProject({ database, projectId, failpoints }),
  });
}

function toColumns(change: ProjectChange): Partial<Pick<ProjectRow, 'name' | 'app_name' | 'drop_unmapped_fields'>> {
  return {
    ...(change.name === undefined ? {} : { name: projectNameOf(change.name) }),
    ...(change.appName === undefined ? {} : { app_name: change.appName }),
    ...(change.dropUnmappedFields === undefined ? {} : { drop_unmapped_fields: change.dropUnmappedFields }),
  };
}

function nameTaken(name: string): ConflictError {
  return new ConflictError({ code: 'project.name-taken', detail: `name: another project is called "${name}".` });
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    appName: row.app_name,
    orgId: row.org_id,
    ...resourceTimes(row),
    dropUnmappedFields: row.drop_unmapped_fields,
  };
}

/**
 * Takes a project away from everybody in one transaction: its row, so that its name is free and no request finds it, and its keys.
 * What else is its goes in rounds (`eraseProject`), which the row made here asks for until nothing is left.
 * A COMMIT whose answer is lost is looked for: whoever asked may have no key any more to ask again. Another try waits for it if it is
 * still under way.
 * @returns false when there is no such project
 */
async function deleteProject(database: Knex, projectId: string): Promise<boolean> {
  const attempt = () => database.transaction((transaction) => takeAway(transaction, projectId));
  try {
    return await attempt();
  } catch (error) {
    if (isRefusedByServer(error) || neverReached(error)) throw error;
    return (await attempt()) || (await listDeletions(database)).includes(projectId);
  }
}

async function takeAway(transaction: Knex.Transaction, projectId: string): Promise<boolean> {
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
