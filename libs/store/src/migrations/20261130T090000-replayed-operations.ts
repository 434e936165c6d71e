import type { Migration } from '../migration';

/** The operation whose failed records another one writes again, so that each of the two names the other. Older replays name none. */
export const replayedOperations: Migration = {
  name: '20261130T090000-replayed-operations',
  up: async (knex) => {
    await knex.raw(`alter table operations add column replay_of text`);
  },
};
