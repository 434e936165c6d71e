import type { Migration } from '../migration';

/**
 * Each index of waiting calls answers one question, and only a statement that asks it can use it. A plan that is made while nothing waits takes all of
 * them for empty, and the lowest for the cheapest: with 200,000 calls in it afterwards a claim that read `calls_deadline` took 8 s.
 */
export const indexWhatWaits: Migration = {
  name: '20261126T180000-index-what-waits',
  up: async (knex) => {
    await knex.raw(`
      drop index calls_deadline;
      create index calls_deadline on calls (deadline) where state in ('ready', 'in_doubt') and deadline is not null;
      drop index calls_isolated;
      create index calls_isolated on calls (not_before) where crash_count >= 2;
    `);
  },
};
