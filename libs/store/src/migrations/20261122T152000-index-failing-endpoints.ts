import type { Migration } from '../migration';

/** How many endpoints fail is asked every few seconds; those that do not cost nothing. */
export const indexFailingEndpoints: Migration = {
  name: '20261122T152000-index-failing-endpoints',
  up: async (knex) => {
    await knex.raw(`
      create index webhook_endpoints_failing on webhook_endpoints (project_id, id) where failing_since is not null and is_enabled;
    `);
  },
};
