import type { Migration } from '../migration';

/**
 * What is looked for often and is rare: operations whose cancel is to be carried out, and failed ones. Both are partial and empty
 * for a write that is accepted and succeeds, so an accept pays nothing for them.
 */
export const indexCancelledAndFailedOperations: Migration = {
  name: '20261121T154000-index-cancelled-and-failed-operations',
  up: async (knex) => {
    await knex.raw(`
      create index operations_cancelled on operations (project_id, id)
        where cancel_requested_at is not null and state = 'queued';
      create index operations_failed on operations (project_id, id) where state = 'failed';
    `);
  },
};
