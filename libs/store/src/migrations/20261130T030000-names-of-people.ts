import type { Migration } from '../migration';

/** What a person was called at the last sign-in: the history of configs names its authors. Null until the next one. */
export const namesOfPeople: Migration = {
  name: '20261130T030000-names-of-people',
  up: async (knex) => {
    await knex.raw(`alter table people add column name text;`);
  },
};
