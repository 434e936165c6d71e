import type { Migration } from '../migration';

/**
 * A claim and the sweeps must cost the same whatever waits. Each index answers one question by a jump:
 * calls_ready: which connections wait in a lane, and what of each is next. A refused connection's calls stay where they are and are
 * passed over as one, so neither holding them back nor letting them go moves a row.
 * calls_running_lane: how many calls a lane has under lease. The lease stands in it so that the dead entries of calls that ended,
 * which stay as long as any transaction is older than they, are not read again.
 * calls_waiting: where the repair of the order goes on.
 */
export const indexCallsForFlatClaims: Migration = {
  name: '20261121T180000-index-calls-for-flat-claims',
  up: async (knex) => {
    await knex.raw(`
      drop index calls_ready;
      create index calls_ready on calls (project_id, lane_id, connection_id, not_before) where state in ('ready', 'in_doubt');
      create index calls_running_lane on calls (project_id, lane_id, lease_until)
        where state = 'running' and mode <> 'synchronous';
      drop index calls_waiting;
      create index calls_waiting on calls (project_id, lane_id, operation_id, number) where state = 'waiting';
    `);
  },
};
