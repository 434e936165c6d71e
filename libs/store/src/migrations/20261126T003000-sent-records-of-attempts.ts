import type { Migration } from '../migration';

/** What the creates of an attempt have in common with others, in the order of `record_indexes`, until it is settled: its intent writes no record (ADR 31). */
export const sentRecordsOfAttempts: Migration = {
  name: '20261126T003000-sent-records-of-attempts',
  up: async (knex) => {
    await knex.raw('alter table attempts add column fingerprints text[]');
  },
};
