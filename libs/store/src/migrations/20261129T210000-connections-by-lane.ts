import type { Migration } from '../migration';

/** Whose a lane is, by the lane: a list of lanes names the groups of each. */
export const connectionsByLane: Migration = {
  name: '20261129T210000-connections-by-lane',
  up: async (knex) => {
    await knex.raw(`create index connections_by_lane on connections (project_id, lane_id)`);
  },
};
