import type { Migration } from '../migration';

/** The provider's own immutable id of an account, beside its name, which the customer may change. Null: not known yet. */
export const accountIds: Migration = {
  name: '20261129T060000-account-ids',
  up: async (knex) => {
    await knex.raw(`
  alter table lanes add column account_id text;
  create index lanes_account_id on lanes (project_id, provider, account_id) where account_id is not null;`);
  },
};
