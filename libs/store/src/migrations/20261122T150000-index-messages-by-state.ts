import type { Migration } from '../migration';

/**
 * A page of an endpoint's messages in one state costs the same whatever else there is, and a replay takes what failed since a moment in
 * steps, each from where the last one ended.
 */
export const indexMessagesByState: Migration = {
  name: '20261122T150000-index-messages-by-state',
  up: async (knex) => {
    await knex.raw(`
      create index webhook_messages_state on webhook_messages (project_id, endpoint_id, state, id);
      create index webhook_messages_failed on webhook_messages (project_id, endpoint_id, created_at, id) where state = 'failed';
    `);
  },
};
