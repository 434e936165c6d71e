import type { Migration } from '../migration';

/**
 * What has ended leaves the queue of its order key, and calls that waited behind it become ready. A volatile function reads with a snapshot of its own.
 * The statement that calls it may have waited for the locks of the keys, and their last holder may have made a call wait meanwhile.
 * It has one plan for all, which finds each row by its key: `order_queue` is empty now and then, and fills under a plan that was made then.
 */
export const leaveQueue: Migration = {
  name: '20261129T120000-leave-queue',
  up: async (knex) => {
    await knex.raw(`
  create function leave_queue(projects text[], keys text[], seqs bigint[], indexes integer[])
  returns table (project_id text, operation_id text, number integer, lane_id text, installation_id text, object_name text, type text, traceparent text)
  language plpgsql volatile
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
      begin
        -- Each row is looked up by its key and deleted where it stands: a join could begin with the whole queue.
        delete from order_queue q
        where q.ctid = any(array(
            select (select k.ctid from order_queue k
                    where k.project_id = g.project_id and k.order_key = g.order_key and k.accept_seq = g.accept_seq and k.record_index = g.record_index)
            from unnest(projects, keys, seqs, indexes) as g (project_id, order_key, accept_seq, record_index)))
          and (q.project_id = any(projects)) is true;
        -- Key by key: given all keys at once, Postgres before 17 may read the whole queue of the project.
        return query
          update calls c set state = 'ready', not_before = c.created_at
          from (select distinct g.project_id, first.operation_id, first.record_index
                from unnest(projects, keys) as g (project_id, order_key) cross join lateral (
                  select q.operation_id, q.record_index from order_queue q
                  where q.project_id = g.project_id and q.order_key = g.order_key order by q.accept_seq, q.record_index limit 1) first) n
          join operations o on o.project_id = n.project_id and o.id = n.operation_id
          where c.project_id = n.project_id and c.operation_id = n.operation_id
            and n.record_index between coalesce(c.members[1], 0) and coalesce(c.members[cardinality(c.members)], 2147483647)
            and (c.members is null or n.record_index = any(c.members)) and c.state = (select 'waiting')
          returning c.project_id, c.operation_id, c.number, c.lane_id, o.installation_id, c.object_name, c.type, c.traceparent;
      end $$;`);
  },
};
