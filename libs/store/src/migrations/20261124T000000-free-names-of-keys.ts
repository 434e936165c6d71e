import type { Migration } from '../migration';

/**
 * A name that a project's own key chose may be another one's, too: refusing it would say that there is such a project. Names that the
 * bootstrap key gave stay unique.
 */
export const freeNamesOfKeys: Migration = {
  name: '20261124T000000-free-names-of-keys',
  up: async (knex) => {
    await knex.raw(`
      alter table projects add column is_named_by_key boolean not null default false;
      drop index projects_name;
      create unique index projects_name on projects (name) where not is_named_by_key;
      create index projects_named_by_key on projects (name) where is_named_by_key;
    `);
  },
};
