import type { Knex } from 'knex';
import { isRefusedByServer, neverReached } from '../database';

/**
 * Takes a project away from everybody in one transaction: its row, so that its name is free and no request finds it, and its keys.
 * What else is its goes in rounds (`eraseProject`), which the row made here asks for until nothing is left.
 * A COMMIT whose answer is lost is looked for: whoever asked may have no key any more to ask again. Another try waits for it if it is
 * still under way.
 * @returns false when there is no such project
 */
export async function deleteProject(database: Knex, projectId: string): Promise<boolean> {
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
export async function listDeletions(database: Knex): Promise<string[]> {
  const rows = await database('project_deletions')
    .orderBy('requested_at')
    .select<{ project_id: string }[]>('project_id');
  return rows.map((row) => row.project_id);
}
