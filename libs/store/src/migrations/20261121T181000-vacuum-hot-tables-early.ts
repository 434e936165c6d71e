import type { Migration } from '../migration';

/**
 * A call is updated three times and its records twice, and each time their old entries stay in the indexes that a claim reads until a
 * vacuum. The server's default waits for a fifth of the table: 200,000 of a million rows. Here a hundredth is enough, and the vacuum
 * may do five times as much before it pauses (the default limit of 200 reads about 40 MB/s).
 * A lane is a row that is updated for every block; half-empty pages keep its updates inside the page, where no index is touched.
 * While another transaction is old, nothing helps: its snapshot keeps the entries. Our own statements end after 5 s, and an idle
 * transaction after 10 s (`openDatabase`).
 */
export const vacuumHotTablesEarly: Migration = {
  name: '20261121T181000-vacuum-hot-tables-early',
  up: async (knex) => {
    const often = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000';
    await knex.raw(`
      alter table operations set (${often}, autovacuum_vacuum_cost_limit = 1000);
      alter table calls set (${often}, autovacuum_vacuum_cost_limit = 1000, autovacuum_analyze_scale_factor = 0.02);
      alter table records set (${often}, autovacuum_vacuum_cost_limit = 1000, autovacuum_analyze_scale_factor = 0.02);
      alter table lanes set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
    `);
  },
};
