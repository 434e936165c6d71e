import type { Migration } from '../migration';

/**
 * A settlement asks `adopted_among` before it stores anything. The planner saw how many elements the arrays had and planned the look-up for each
 * execution: 85 µs of the 480 that a settlement of one create took (Postgres 18.4). Now it has one plan for all, which finds each row by its key:
 * `adoptions` is empty most of the time, and a plan made then is kept while it fills.
 */
export const adoptedAmongKeepsItsPlan: Migration = {
  name: '20261128T030000-adopted-among-keeps-its-plan',
  up: async (knex) => {
    await knex.raw(`
      create or replace function adopted_among(projects text[], lanes text[], objects text[], operations text[], ids text[])
      returns table (project_id text, operation_id text) language plpgsql volatile
      set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
      begin
        perform pg_advisory_xact_lock_shared(k.lock)
        from (select distinct adoption_lock(l) as lock from unnest(lanes) as l order by 1) k;
        return query
          select g.project_id, g.operation_id
          from unnest(projects, lanes, objects, operations, ids) as g (project_id, lane_id, object_name, operation_id, provider_ids)
          where (select true from adoptions a where a.project_id = g.project_id and a.lane_id = g.lane_id and a.object_name = g.object_name
                   and a.provider_id = any(g.provider_ids::text[]) limit 1);
      end $$;
    `);
  },
};
