import type { Knex } from 'knex';

/** The deletion of the project that a row of this table belongs to: a key that was made meanwhile opens nothing. */
export function deletionOf(database: Knex, table: 'api_keys' | 'jwt_keys'): Knex.QueryBuilder {
  return database('project_deletions as d').whereRaw('d.project_id = ??', [`${table}.project_id`]);
}
