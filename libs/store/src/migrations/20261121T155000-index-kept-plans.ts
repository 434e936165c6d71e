import type { Migration } from '../migration';

/** Finds the plans that the retention time is over for. An accept does not touch it: a record enters when it ends. */
export const indexKeptPlans: Migration = {
  name: '20261121T155000-index-kept-plans',
  up: async (knex) => {
    await knex.raw(`
      create index records_kept_plan on records (updated_at) where plan is not null and outcome <> 'pending';
    `);
  },
};
