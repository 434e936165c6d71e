import type { Migration } from '../migration';

/**
 * Groups are listed and found by name and by ref, whatever the case, with what each has installed. In byte order, so that a prefix is a range under
 * every collation of a database. Connections are refused rarely, and a project asks for these with each page of its groups.
 */
export const groupLists: Migration = {
  name: '20261129T220000-group-lists',
  up: async (knex) => {
    await knex.raw(`
  create index groups_by_name on groups (project_id, lower(group_name) collate "C", group_ref collate "C");
  create index groups_by_ref on groups (project_id, lower(group_ref) collate "C", group_ref collate "C");`);
  },
};

/** Steps of their own: each table is locked alone. */
export const installationsOfGroups: Migration = {
  name: '20261129T220100-installations-of-groups',
  up: async (knex) => {
    await knex.raw(
      `create index installations_of_group on installations (project_id, group_ref, id) include (connection_id)`,
    );
  },
};

export const refusedConnections: Migration = {
  name: '20261129T220200-refused-connections',
  up: async (knex) => {
    await knex.raw(
      `create index connections_refused on connections (project_id, group_ref, id) where status = 'bad_credentials'`,
    );
  },
};
