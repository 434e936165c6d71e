import type { Migration } from '../migration';

/** When an endpoint last got a message: what waits behind that one is late for its receiver's reasons, and not for ours. */
export const addEndpointServed: Migration = {
  name: '20261122T193000-add-endpoint-served',
  up: async (knex) => {
    await knex.raw(`alter table webhook_endpoints add column served_at timestamptz`);
  },
};
