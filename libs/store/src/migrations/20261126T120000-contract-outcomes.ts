import type { Migration } from '../migration';

/**
 * An outcome is a row of the settlement, not an update of each record (ADR 31). The members of a call become its records without an outcome, so that what is
 * to be sent is found without looking for outcomes.
 */
export const outcomes: Migration = {
  name: '20261126T120000-contract-outcomes',
  up: async (knex) => {
    await knex.raw(`
      create table outcomes (
        project_id text not null,
        operation_id text not null,
        -- 0: its records were never in a call.
        call_number integer not null,
        fence bigint not null,
        outcome text not null,
        record_indexes integer[] not null,
        provider_ids text[],
        error_classes text[],
        error_texts text[],
        -- Each a list as JSON, null where there is none.
        warnings text[],
        -- Of what a create has made: a provider's record belongs to one create at most.
        lane_id text,
        object_name text,
        ended_at timestamptz not null default now(),
        -- Its records have plans.
        is_kept boolean not null default true,
        primary key (project_id, operation_id, call_number, fence, outcome)
      ) with (toast_tuple_target = 8160);
      insert into outcomes (project_id, operation_id, call_number, fence, outcome, record_indexes, provider_ids, error_classes,
                            error_texts, warnings, lane_id, object_name, ended_at, is_kept)
      select r.project_id, r.operation_id, coalesce(c.number, 0), coalesce(c.fence, 0), r.outcome,
             array_agg(r.record_index order by r.record_index),
             case when r.outcome = 'succeeded' then array_agg(r.provider_id order by r.record_index) end,
             case when r.outcome <> 'succeeded' then array_agg(r.error_class order by r.record_index) end,
             case when r.outcome <> 'succeeded' then array_agg(r.error_text order by r.record_index) end,
             case when bool_or(cardinality(r.warnings) > 0) then array_agg(
               case when cardinality(r.warnings) > 0 then to_json(r.warnings)::text end order by r.record_index) end,
             case when r.outcome = 'succeeded' and r.type = 'create' then min(r.lane_id) end,
             case when r.outcome = 'succeeded' and r.type = 'create' then min(r.object_name) end,
             max(coalesce(r.updated_at, now())), bool_or(r.plan is not null)
      from records r
      left join calls c on c.project_id = r.project_id and c.operation_id = r.operation_id
        and (c.members is null or r.record_index = any(c.members))
      where r.outcome <> 'pending' group by r.project_id, r.operation_id, c.number, c.fence, r.outcome, r.type;
      -- A lane is of one project.
      create index outcomes_created on outcomes (lane_id, ended_at) where lane_id is not null;
      create index outcomes_kept on outcomes (ended_at) where is_kept;

      create view record_outcomes as
      select o.project_id, o.operation_id, e.record_index, o.call_number, o.fence, o.outcome, o.ended_at, e.provider_id, e.error_class,
             e.error_text, e.warnings
      from outcomes o cross join unnest(o.record_indexes, o.provider_ids, o.error_classes, o.error_texts, o.warnings)
        as e (record_index, provider_id, error_class, error_text, warnings);

      -- What was looked up and found to be made: until a reply names it for another create.
      create table adoptions (
        project_id text not null,
        lane_id text not null,
        object_name text not null,
        provider_id text not null,
        operation_id text not null,
        record_index integer not null,
        primary key (project_id, lane_id, object_name, provider_id)
      );
      insert into adoptions
      select project_id, lane_id, object_name, claimed_provider_id, operation_id, record_index from records
      where type = 'create' and outcome = 'succeeded' and send_state = 'maybe' and claimed_provider_id is not null;
    `);
    await knex.raw(`
      update calls c set members = array(
        select r.record_index from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
          and r.outcome = 'pending' and (c.members is null or r.record_index = any(c.members)) order by 1)
      where c.state in ('done', 'quarantined') or exists (
        select 1 from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
          and r.outcome <> 'pending' and (c.members is null or r.record_index = any(c.members)));
      -- Synchronous creates that are being sent are found by their lane, as others are.
      create index calls_sending on calls (project_id, lane_id) where state = 'running' and mode = 'synchronous';
    `);
    await knex.raw(`
      drop index records_order, records_fingerprint, records_created, records_kept_plan;
      -- holds_order: a later write to the record waits for this one. is_unanswered: it was sent, and has no outcome.
      alter table records add column holds_order boolean not null default true, add column is_unanswered boolean not null default false;
      update records set holds_order = false, error_class = null, error_text = null
      where outcome <> 'pending' and (order_key is not null or error_class is not null or error_text is not null);
      update records set is_unanswered = true where outcome = 'pending' and send_state <> 'none';
      alter table records drop column outcome, drop column provider_id, drop column claimed_provider_id, drop column warnings,
        drop column updated_at, drop column type;
      -- What its call says is said of a record only where it is found by it: one that was sent and has no outcome. A connection, where it is not the operation's.
      alter table records alter column lane_id drop not null, alter column object_name drop not null, alter column connection_id drop not null;
      -- A record is not written again as a rule: its page needs no room for it.
      alter table records reset (fillfactor);
      create index records_order on records (project_id, order_key, accept_seq, record_index)
        where order_key is not null and (holds_order or barrier_until is not null);
      create index records_unanswered on records (project_id, lane_id, object_name, fingerprint)
        where is_unanswered and fingerprint is not null;
    `);
    // Whoever stores that a reply named provider records asks for adopted ones in the statement that stores it, and holds the lane's lock in share mode from
    // before it looks: an adoption holds it alone. A volatile function looks with a snapshot of its own, which has what it waited for.
    await knex.raw(`
      -- Of few: a transaction may settle calls of many lanes. Locks of order keys are below 512.
      create function adoption_lock(lane text) returns bigint language sql immutable
        as $$ select 1024 + (hashtextextended(lane, 0) & 63) $$;
      create function adopted_among(projects text[], lanes text[], objects text[], operations text[], ids text[])
      returns table (project_id text, operation_id text) language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(k.lock)
        from (select distinct adoption_lock(l) as lock from unnest(lanes) as l order by 1) k;
        return query
          select a.project_id, g.operation_id
          from unnest(projects, lanes, objects, operations, ids) as g (project_id, lane_id, object_name, operation_id, provider_ids)
          join adoptions a on a.project_id = g.project_id and a.lane_id = g.lane_id and a.object_name = g.object_name
            and a.provider_id = any(g.provider_ids::text[]);
      end $$;
    `);
  },
};
