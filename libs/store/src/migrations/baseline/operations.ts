/**
 * What a caller tracks, the batches that take records, and the keys of requests. No index of `operations` names a column that a seal or a success
 * changes, so both update a row inside its page (ADR 31).
 */
export const operations = `
  -- Accept order. Cache 1: values are drawn in the order of the inserts, also across processes.
  create sequence accept_seq cache 1;

  create table operations (
    project_id text not null,
    id text not null,
    integration_id text not null,
    installation_id text not null,
    config_id text not null,
    connection_id text not null,
    lane_id text not null,
    object_name text not null,
    type text not null,
    mode text not null,
    state text not null,
    result text,
    due_at timestamptz,
    is_full boolean not null default false,
    records_total integer not null default 0,
    records_succeeded integer not null default 0,
    records_failed integer not null default 0,
    calls_open integer not null default 0,
    cancel_requested_at timestamptz,
    traceparent text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    failed_at timestamptz,
    primary key (project_id, id)
  ) with (
    -- An update that fits its own page needs no other page in memory and in the log.
    fillfactor = 60,
    -- A hundredth of the rows is vacuumed; the server waits for a fifth, 200,000 of a million.
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    -- A vacuum may do five times as much before it pauses; the default limit of 200 reads about 40 MB/s.
    autovacuum_vacuum_cost_limit = 1000
  );
  create index operations_installation on operations (project_id, installation_id, id);
  -- Searched often, and rare: empty for a write that is accepted and succeeds.
  create index operations_failed on operations (project_id, id) where failed_at is not null;

  -- What takes records: a row per batch key, which a join updates in place.
  create table open_batches (
    project_id text not null,
    installation_id text not null,
    object_name text not null,
    type text not null,
    operation_id text not null,
    connection_id text not null,
    records integer not null,
    plan_bytes integer not null,
    due_at timestamptz not null,
    is_open boolean not null,
    -- What the latest join did, for what it returns: the batch that it filled before it opened this one, and its group with its size.
    previous_id text,
    previous_bytes integer,
    joined_as integer,
    joined_records integer,
    primary key (project_id, installation_id, object_name, type)
  ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  create index open_batches_due on open_batches (due_at) where is_open;
  create index open_batches_project on open_batches (project_id) where is_open;

  -- Batches that take no more records, until they are sealed.
  create table closed_batches (
    project_id text not null,
    operation_id text not null,
    connection_id text not null,
    records integer not null,
    plan_bytes integer not null,
    primary key (project_id, operation_id)
  ) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);

  -- Operations whose cancel is to be carried out.
  create table cancels (
    project_id text not null,
    operation_id text not null,
    primary key (project_id, operation_id)
  );

  -- Where a joining statement put its records, for one whose answer was lost.
  create table flushes (
    project_id text not null,
    id text not null,
    -- Null: it was given up, and its statement can never commit.
    answers text,
    created_at timestamptz not null default now(),
    primary key (project_id, id)
  );
  create index flushes_age on flushes (created_at);

  -- Replies that a repeated request gets again, for 72 hours.
  create table idempotency_keys (
    project_id text not null,
    scope text not null,
    key text not null,
    body_hash text not null,
    operation_id text not null,
    reply text,
    created_at timestamptz not null default now(),
    primary key (project_id, scope, key)
  );
  create index idempotency_keys_age on idempotency_keys (created_at);
`;
