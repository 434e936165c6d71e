import type { Migration } from '../migration';

/** Size of the plans in an auto-batch, in bytes: counted as a part of the backlog while it is open, and of its calls afterwards. */
export const sizeOpenBatches: Migration = {
  name: '20261123T090100-size-open-batches',
  up: async (knex) => {
    await knex.raw('alter table operations add column plan_bytes integer not null default 0');
  },
};
