/**
 * What the console draws: what each process did for each project in a minute, how long the queues were, and which processes were alive. Written
 * beside the writes, never with one, and kept for eight days. A row of `minutes` takes at least one write or call, so they are fewer than operations.
 */
export const minutes = `
  create table minutes (
    project_id text not null,
    minute timestamptz not null,
    process text not null,
    provider text not null,
    accepted integer not null,
    written integer not null,
    failed integer not null,
    unknown integer not null,
    retried integer not null,
    provider_errors integer not null,
    blocks integer not null,
    blocked_ms bigint not null,
    -- Observations by bucket of timingBounds.
    accept_counts integer[] not null,
    provider_call_counts integer[] not null,
    primary key (project_id, minute, process, provider)
  );
  create index minutes_by_age on minutes (minute);

  create table backlog_minutes (
    project_id text not null,
    minute timestamptz not null,
    lane_id text not null,
    waiting integer not null,
    primary key (project_id, minute, lane_id)
  );
  create index backlog_minutes_by_age on backlog_minutes (minute);

  -- Of no project: which processes there were.
  create table process_minutes (
    minute timestamptz not null,
    process text not null,
    service text not null,
    version text not null,
    primary key (minute, process)
  );
`;
