/**
 * Where a project's webhooks go, and what is on its way there. The transaction that makes a change writes its messages, one for each endpoint that
 * asks for it. Pending messages are found by jumps from endpoint to endpoint.
 */
export const webhooks = `
  create table webhook_endpoints (
    project_id text not null,
    id text not null,
    url text not null,
    description text,
    event_types text[] not null,
    is_enabled boolean not null default true,
    disabled_reason text,
    -- The first failed attempt since the last successful one.
    failing_since timestamptz,
    sealed_secret text not null,
    seal_key_id text not null,
    -- The secret before the last rotation signs until then.
    previous_secret_until timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    -- A receiver that asks for a pause gets it for all its messages.
    held_until timestamptz,
    -- When it last got a message: what waits behind that one is late for its receiver's reasons, and not for ours.
    served_at timestamptz,
    primary key (project_id, id)
  );
  -- How many fail is asked every few seconds; those that do not cost nothing.
  create index webhook_endpoints_failing on webhook_endpoints (project_id, id) where failing_since is not null and is_enabled;

  create table webhook_messages (
    project_id text not null,
    endpoint_id text not null,
    -- Of the event: equal at all endpoints of the project.
    id text not null,
    type text not null,
    payload text not null,
    state text not null default 'pending',
    -- Attempts begun; the number of the last one is the right to settle it.
    attempts integer not null default 0,
    -- The same since it was made or replayed: its place in the table of pauses.
    tries integer not null default 0,
    not_before timestamptz not null default now(),
    lease_until timestamptz,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    primary key (project_id, endpoint_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
  create index webhook_messages_pending on webhook_messages (project_id, endpoint_id, not_before) where state = 'pending';
  -- What is under way, of much that waits.
  create index webhook_messages_leased on webhook_messages (project_id, endpoint_id, lease_until)
    where state = 'pending' and lease_until is not null;
  create index webhook_messages_ended on webhook_messages (ended_at) where ended_at is not null;
  -- A page of one state costs the same whatever else there is; a replay takes what failed since a moment in steps.
  create index webhook_messages_state on webhook_messages (project_id, endpoint_id, state, id);
  create index webhook_messages_failed on webhook_messages (project_id, endpoint_id, created_at, id) where state = 'failed';

  create table webhook_attempts (
    project_id text not null,
    endpoint_id text not null,
    message_id text not null,
    number integer not null,
    started_at timestamptz not null default now(),
    class text,
    status integer,
    duration_ms integer,
    response text,
    primary key (project_id, endpoint_id, message_id, number)
  );
`;
