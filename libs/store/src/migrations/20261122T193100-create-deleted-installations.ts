import type { Migration } from '../migration';

/** Whose an installation was: what an executor ends after its deletion is told to the same group. Small, and kept like its operations. */
export const createDeletedInstallations: Migration = {
  name: '20261122T193100-create-deleted-installations',
  up: async (knex) => {
    await knex.raw(`
      create table deleted_installations (
        project_id text not null,
        id text not null,
        group_ref text not null,
        -- Its last one.
        connection_id text not null,
        -- Of that connection; null when it was gone before.
        consumer_ref text,
        deleted_at timestamptz not null default now(),
        primary key (project_id, id)
      );
    `);
  },
};
