/** How records ended, and which create a provider's record belongs to. An outcome is a row of the settlement, not an update of each record (ADR 31). */
export const outcomes = `
  -- The records of a call that ended alike.
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

  -- Of few: a transaction may settle calls of many lanes. Locks of order keys are below 512.
  create function adoption_lock(lane text) returns bigint language sql immutable
    as $$ select 1024 + (hashtextextended(lane, 0) & 63) $$;

  -- A statement that stores which provider records a reply named asks here for adopted ones. It holds the lane's lock in share mode from before it reads:
  -- an adoption holds it alone. A volatile function reads with a snapshot of its own, which has what it waited for. It has one plan for all, which finds
  -- each row by its key: planned for each execution it took 85 of the 480 us of a settlement of one create (Postgres 18.4), and "adoptions", empty
  -- most of the time, may fill under a plan that was made then.
  create function adopted_among(projects text[], lanes text[], objects text[], operations text[], ids text[])
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
`;
