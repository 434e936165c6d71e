/** What is to be written, and the order of writes to one provider record. */
export const records = `
  -- Written once as a rule, so its page needs no room for another version of it.
  create table records (
    project_id text not null,
    operation_id text not null,
    record_index integer not null,
    ref text,
    accept_seq bigint not null,
    -- This one and object_name where a record is found by them, being sent and without an outcome; a connection where it is not the operation's.
    lane_id text,
    connection_id text,
    object_name text,
    order_key text,
    replayed_by text,
    traceparent text not null,
    config_id text not null,
    headers_key text not null default '',
    plan text,
    retry_ms bigint not null,
    send_state text not null default 'none',
    first_sent_at timestamptz,
    fingerprint text,
    error_class text,
    error_text text,
    -- Null: the moment of the operation's id.
    accepted_at timestamptz,
    -- It was sent, and has no outcome.
    is_unanswered boolean not null default false,
    primary key (project_id, operation_id, record_index)
  ) with (
    -- Later than calls: a vacuum of its indexes costs more than it saves a claim.
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 1000,
    autovacuum_analyze_scale_factor = 0.02
  );
  create index records_unanswered on records (project_id, lane_id, object_name, fingerprint)
    where is_unanswered and fingerprint is not null;

  -- One narrow row per unfinished write to a known record, in the order of acceptance: no update and no delete writes its record again.
  create table order_queue (
    project_id text not null,
    order_key text not null,
    accept_seq bigint not null,
    record_index integer not null,
    operation_id text not null,
    primary key (project_id, order_key, accept_seq, record_index)
  ) with (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 1000,
    autovacuum_analyze_scale_factor = 0.02,
    -- It is empty now and then: giving its pages back would lock everybody out for a moment.
    vacuum_truncate = false
  );

  -- Until then the provider may apply a write that it did not answer.
  create table barriers (
    project_id text not null,
    order_key text not null,
    operation_id text not null,
    record_index integer not null,
    until timestamptz not null,
    primary key (project_id, order_key, operation_id, record_index)
  );
  create index barriers_until on barriers (until);
`;
