import type { Migration } from '../migration';

/** A group is found by the beginning of its ref or name while it is typed, and its installations by it; whose a lane is, by the lane. No write inserts here. */
export const groupSearch: Migration = {
  name: '20261129T210000-group-search',
  up: async (knex) => {
    await knex.raw(`
  create index groups_by_ref on groups (project_id, (lower(group_ref) collate "C"));
  create index groups_by_name on groups (project_id, (lower(group_name) collate "C"));
  create index installations_by_group on installations (project_id, group_ref);
  create index connections_by_lane on connections (project_id, lane_id);`);
  },
};
