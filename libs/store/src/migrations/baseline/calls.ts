/**
 * What an executor claims, and what was sent. A claim and the sweeps must cost the same whatever waits. So each index answers one question by a jump,
 * and only a statement that asks this question can use it. A plan that is made while nothing waits takes all of them for empty, and the lowest for
 * the cheapest. Few indexes, on living rows where possible: five entries per accept instead of seven made accepting a third faster. While another
 * transaction is old, no vacuum helps: its snapshot keeps the dead entries. Our own statements end after 5 s, and an idle transaction after 10 s
 * (`openDatabase`).
 */
export const calls = `
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
    -- Its records without an outcome. Null: all of the operation.
    members integer[],
    -- From when the retry times of its records count.
    base_at timestamptz not null default now(),
    deadline timestamptz,
    -- The intent: what is being sent, and the fingerprints of creates in the same order. Null: the call is not being sent.
    sent_members integer[],
    sent_fingerprints text[],
    primary key (project_id, operation_id, number)
  ) with (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 1000,
    autovacuum_analyze_scale_factor = 0.02
  );
  -- Which connections wait in a lane, and what of each is next. A refused connection's calls stay where they are and are passed over as
  -- one, so neither holding them back nor letting them go moves a row.
  create index calls_ready on calls (project_id, lane_id, connection_id, not_before, plan_kb) where state in ('ready', 'in_doubt');
  -- A claim takes the calls in doubt of a lane first. There are none most of the time, and then this index is empty.
  create index calls_in_doubt on calls (project_id, lane_id, connection_id, not_before) where state = 'in_doubt';
  -- With "deadline is not null", so that no claim reads it: with 200,000 calls in it one took 8 s.
  create index calls_deadline on calls (deadline) where state in ('ready', 'in_doubt') and deadline is not null;
  create index calls_running on calls (lease_until) where state = 'running';
  -- How many calls a lane has under lease. The lease stands in it so that dead entries of calls that ended are not read again.
  create index calls_running_lane on calls (project_id, lane_id, lease_until)
    where state = 'running' and mode <> 'synchronous';
  -- Synchronous creates that are being sent are found by their lane, as others are.
  create index calls_sending on calls (project_id, lane_id) where state = 'running' and mode = 'synchronous';
  -- Where the repair of the order goes on.
  create index calls_waiting on calls (project_id, lane_id, operation_id, number) include (connection_id, plan_kb)
    where state = 'waiting';
  -- Without the state, so that no claim of other calls reads it.
  create index calls_isolated on calls (not_before) where crash_count >= 2;

  -- One per send that is over. Only a late reply changes one.
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

  -- Attempts, and what is being sent.
  create view sent_attempts as
  select project_id, operation_id, call_number, fence, owner, record_indexes, sent_at, finished_at, status, provider_request_id,
         error_class, error_text, duration_ms, late_evidence
  from attempts
  union all
  select project_id, operation_id, number, fence, owner, sent_members, sent_at, null, null, null, null, null, null, null
  from calls where sent_members is not null;

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
