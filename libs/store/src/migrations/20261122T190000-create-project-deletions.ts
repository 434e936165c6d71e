import type { Migration } from '../migration';

/** Projects that are deleted and whose rows are not all gone: what is being sent has yet to end, or there is much to erase. */
export const createProjectDeletions: Migration = {
  name: '20261122T190000-create-project-deletions',
  up: async (knex) => {
    await knex.raw(`
      create table project_deletions (
        project_id text primary key,
        requested_at timestamptz not null default now()
      );
    `);
  },
};
