import type { Migration } from '../migration';

/** A claim takes the calls in doubt of a lane first. There are none most of the time, and then this index is empty. */
export const indexCallsInDoubt: Migration = {
  name: '20261127T060000-index-calls-in-doubt',
  up: async (knex) => {
    await knex.raw(`
      create index calls_in_doubt on calls (project_id, lane_id, connection_id, not_before) where state = 'in_doubt';
    `);
  },
};
