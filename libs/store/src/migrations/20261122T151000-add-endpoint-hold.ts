import type { Migration } from '../migration';

/** A receiver that asks for a pause gets it for all its messages. */
export const addEndpointHold: Migration = {
  name: '20261122T151000-add-endpoint-hold',
  up: async (knex) => {
    await knex.raw(`alter table webhook_endpoints add column held_until timestamptz`);
  },
};
