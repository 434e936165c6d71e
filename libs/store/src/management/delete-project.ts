import type { Knex } from 'knex';

/**
 * Takes a project away from everybody in one transaction: its row, so that its name is free and no request finds it, and its keys.
 * What else is its goes in rounds (`eraseProject`), which the row made here asks for until nothing is left.
 * @returns false when there is no such project
 */
export async function deleteProject(transaction: Knex.Transaction, projectId: string): Promise<boolean> {
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
