import { DependencyError } from '@sluice/errors';
import type { Migration } from '../migration';
import { callers, customers } from './20261124T000000-customers-of-0.1.0';

/** A hundredth of a table that changes is vacuumed; the server waits for a fifth, 200,000 of a million rows. */
const often = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000';
/** A vacuum may do five times as much before it pauses; the default limit of 200 reads about 40 MB/s. */
const faster = 'autovacuum_vacuum_cost_limit = 1000';

/** What 0.1.0 noted after the last of its 25 steps, which came to this schema. */
const lastStepOf010 = '20261124T000000-free-names-of-keys';

/**
 * The schema of version 0.1.0; a database of that version has it already. `project_id` comes first in every key, so that tables can be spread
 * by project. Payloads are text, because jsonb refuses \u0000 and rewrites numbers.
 */
export const schemaOf010: Migration = {
  name: '20261124T000000-schema-of-0.1.0',
  up: async (knex) => {
    if (await knex.schema.hasTable('projects')) {
      if ((await knex('knex_migrations').where({ name: lastStepOf010 })).length === 1) return;
      throw new DependencyError({
        code: 'service.unmigrated',
        detail: 'The database was made by a version before 0.1.0, whose steps this version does not have.',
        remedy: 'Bring it to 0.1.0 with that version (npm run migrate), or begin with an empty database.',
      });
    }
    await knex.raw(callers);
    await knex.raw(customers);
    await knex.raw(writes);
    await knex.raw(notifications);
  },
};

/**
 * What is promised: operations (what a caller tracks), calls (what an executor claims), records (what has an outcome), attempts (what was
 * sent). The steps after this one give most of it another form (ADR 31).
 * A claim and the sweeps must cost the same whatever waits, so each index answers one question by a jump. Few indexes, on living rows where
 * possible: five entries per accept instead of seven made accepting a third faster.
 * While another transaction is old, no vacuum helps: its snapshot keeps the dead entries. Our own statements end after 5 s, and an idle
 * transaction after 10 s (`openDatabase`).
 */
const writes = `
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
    -- Size of the plans in an auto-batch, in bytes: a part of the backlog while it is open.
    plan_bytes integer not null default 0,
    primary key (project_id, id)
  );
  -- One open batch per key. The join uses this very predicate to find its row.
  create unique index operations_open_batch on operations (project_id, installation_id, object_name, type)
    where state = 'accumulating' and not is_full and cancel_requested_at is null;
  create index operations_due on operations (due_at) where state = 'accumulating';
  create index operations_full on operations (project_id) where state = 'accumulating'
    and (is_full or cancel_requested_at is not null);
  create index operations_installation on operations (project_id, installation_id, id);
  -- Looked for often, and rare: empty for a write that is accepted and succeeds.
  create index operations_cancelled on operations (project_id, id)
    where cancel_requested_at is not null and state = 'queued';
  create index operations_failed on operations (project_id, id) where state = 'failed';
  -- An update that fits its own page needs no other page in memory and in the log.
  alter table operations set (fillfactor = 60, ${often}, ${faster});

  create table calls (
    project_id text not null,
    operation_id text not null,
    number integer not null,
    lane_id text not null,
    connection_id text not null,
    object_name text not null,
    type text not null,
    mode text not null,
    state text not null,
    not_before timestamptz not null default now(),
    sent_at timestamptz,
    attempts integer not null default 0,
    crash_count integer not null default 0,
    fence bigint not null default 0,
    lease_until timestamptz,
    owner text,
    all_or_none boolean not null default false,
    traceparent text not null,
    created_at timestamptz not null default now(),
    -- Crashes during a lookup of a call in doubt: a lookup that ends takes them back from crash_count (ADR 23).
    look_crashes integer not null default 0,
    -- Size of its plans, so that a backlog is counted in bytes too. In kB, rounded up, because calls whose entries are equal then share
    -- one in calls_ready: with a million calls 14 MB when most plans are small, 92 when their sizes differ, 124 with exact sizes beside the key.
    plan_kb integer not null default 1,
    primary key (project_id, operation_id, number)
  );
  -- Which connections wait in a lane, and what of each is next. A refused connection's calls stay where they are and are passed over as
  -- one, so neither holding them back nor letting them go moves a row.
  create index calls_ready on calls (project_id, lane_id, connection_id, not_before, plan_kb) where state in ('ready', 'in_doubt');
  create index calls_running on calls (lease_until) where state = 'running';
  -- How many calls a lane has under lease. The lease stands in it so that dead entries of calls that ended are not read again.
  create index calls_running_lane on calls (project_id, lane_id, lease_until)
    where state = 'running' and mode <> 'synchronous';
  -- Where the repair of the order goes on.
  create index calls_waiting on calls (project_id, lane_id, operation_id, number) include (connection_id, plan_kb)
    where state = 'waiting';
  create index calls_isolated on calls (not_before) where crash_count >= 2 and state in ('ready', 'in_doubt');
  alter table calls set (${often}, ${faster}, autovacuum_analyze_scale_factor = 0.02);

  create table records (
    project_id text not null,
    operation_id text not null,
    record_index integer not null,
    call_number integer,
    record_id text,
    ref text,
    accept_seq bigint not null,
    lane_id text not null,
    connection_id text not null,
    object_name text not null,
    type text not null,
    order_key text,
    barrier_until timestamptz,
    replayed_by text,
    traceparent text not null,
    config_id text not null,
    headers_key text not null default '',
    plan text,
    retry_until timestamptz,
    retry_ms bigint not null,
    send_state text not null default 'none',
    first_sent_at timestamptz,
    fingerprint text,
    outcome text not null default 'pending',
    provider_id text,
    claimed_provider_id text,
    error_class text,
    error_text text,
    warnings text[],
    updated_at timestamptz,
    primary key (project_id, operation_id, record_index)
  );
  create unique index records_record_id on records (project_id, record_id) where record_id is not null;
  create index records_order on records (project_id, order_key, accept_seq, record_index)
    where order_key is not null and (outcome = 'pending' or barrier_until is not null);
  create index records_barrier on records (barrier_until) where barrier_until is not null;
  create index records_deadline on records (retry_until) where outcome = 'pending';
  create index records_fingerprint on records (project_id, lane_id, object_name, fingerprint)
    where outcome = 'pending' and send_state <> 'none' and fingerprint is not null;
  -- A provider's record belongs to one create at most.
  create unique index records_created on records (project_id, lane_id, object_name, claimed_provider_id)
    where claimed_provider_id is not null;
  -- Plans whose retention time is over.
  create index records_kept_plan on records (updated_at) where plan is not null and outcome <> 'pending';
  alter table records set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, ${faster},
    autovacuum_analyze_scale_factor = 0.02);

  create table attempts (
    project_id text not null,
    operation_id text not null,
    call_number integer not null,
    fence bigint not null,
    owner text not null,
    record_indexes integer[] not null,
    sent_at timestamptz not null,
    finished_at timestamptz,
    status integer,
    provider_request_id text,
    error_class text,
    error_text text,
    duration_ms integer,
    late_evidence text,
    primary key (project_id, operation_id, call_number, fence)
  );
  alter table attempts set (fillfactor = 60);

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

  -- Calls that crashed an executor four times.
  create table quarantine (
    project_id text not null,
    operation_id text not null,
    call_number integer not null,
    reason text not null,
    replay_command text not null,
    created_at timestamptz not null default now(),
    primary key (project_id, operation_id, call_number)
  );
`;

/**
 * Where a project's webhooks go, and what is on its way there. A message is written by the transaction whose change it is about, once for
 * each endpoint that asks for it; what is pending is found by jumps from endpoint to endpoint.
 */
const notifications = `
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
  );
  create index webhook_messages_pending on webhook_messages (project_id, endpoint_id, not_before) where state = 'pending';
  -- What is under way, of much that waits.
  create index webhook_messages_leased on webhook_messages (project_id, endpoint_id, lease_until)
    where state = 'pending' and lease_until is not null;
  create index webhook_messages_ended on webhook_messages (ended_at) where ended_at is not null;
  -- A page of one state costs the same whatever else there is; a replay takes what failed since a moment in steps.
  create index webhook_messages_state on webhook_messages (project_id, endpoint_id, state, id);
  create index webhook_messages_failed on webhook_messages (project_id, endpoint_id, created_at, id) where state = 'failed';
  alter table webhook_messages set (${often});

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
