import type { Migration } from '../migration';

/** Crashes while a call in doubt was looked for: a look that ends takes them back from `crash_count` (ADR 23). */
export const countCrashesOfLooks: Migration = {
  name: '20261123T022000-count-crashes-of-looks',
  up: async (knex) => {
    await knex.raw('alter table calls add column look_crashes integer not null default 0');
  },
};
