import type { Migration } from '../migration';

/**
 * A settlement asks `adopted_among` before it stores anything. Where the planner sees how many elements the arrays have, it plans the look-up for each
 * execution: 85 µs of the 480 that a settlement of one create took (Postgres 18.4). Behind `offset 0` it sees nothing, and the plan is kept, as
 * `preparedRowsSql` does.
 */
export const adoptedAmongKeepsItsPlan: Migration = {
  name: '20261128T030000-adopted-among-keeps-its-plan',
  up: async (knex) => {
    await knex.raw(`
      create or replace function adopted_among(projects text[], lanes text[], objects text[], operations text[], ids text[])
      returns table (project_id text, operation_id text) language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(k.lock)
        from (select distinct adoption_lock(l) as lock from unnest(lanes) as l order by 1) k;
        return query
          select a.project_id, g.operation_id
          from (select projects as a0, lanes as a1, objects as a2, operations as a3, ids as a4 offset 0) as given
          cross join lateral unnest(given.a0, given.a1, given.a2, given.a3, given.a4)
            as g (project_id, lane_id, object_name, operation_id, provider_ids)
          join adoptions a on a.project_id = g.project_id and a.lane_id = g.lane_id and a.object_name = g.object_name
            and a.provider_id = any(g.provider_ids::text[]);
      end $$;
    `);
  },
};
