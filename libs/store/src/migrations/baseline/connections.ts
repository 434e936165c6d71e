/** Provider accounts, and connections with sealed credentials. */
export const connections = `
  create table provider_apps (
    project_id text not null,
    id text not null,
    provider text not null,
    external_ref text,
    client_id text not null,
    sealed_client_secret text,
    seal_key_id text,
    scopes text[],
    metadata text,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, id)
  );
  create index provider_apps_provider on provider_apps (project_id, provider, id);

  -- One row per provider account. Made with its connection and never moved: another workspace is another connection.
  create table lanes (
    project_id text not null,
    id text not null,
    provider text not null,
    account_ref text not null,
    -- Calls at once; null: the executor's setting.
    cap integer,
    ready_at timestamptz,
    blocked_until timestamptz,
    last_error text,
    created_at timestamptz not null default now(),
    primary key (project_id, id)
  ) with (
    -- Updated for every block: half-empty pages keep its updates inside the page, where no index is touched.
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500
  );
  create unique index lanes_account on lanes (project_id, provider, account_ref);

  create table connections (
    project_id text not null,
    id text not null,
    provider text not null,
    provider_app_id text,
    group_ref text not null,
    consumer_ref text not null,
    lane_id text not null,
    provider_workspace_ref text,
    provider_consumer_ref text,
    auth_scheme text not null,
    status text not null default 'created',
    sealed_credentials text,
    seal_key_id text,
    token_version integer not null default 1,
    refresh_lease_until timestamptz,
    token_expires_at timestamptz,
    scopes text[],
    provider_metadata text,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    -- Depends on how long the token lives, not only on when it ends.
    token_refresh_at timestamptz,
    primary key (project_id, id)
  );
  create index connections_group on connections (project_id, group_ref, id);

  -- What waits for a customer who was sent to a provider's page: minutes long, used once. Of the state only its hash is kept.
  create table oauth_states (
    project_id text not null,
    state_hash text not null,
    provider text not null,
    provider_app_id text not null,
    group_ref text not null,
    group_name text,
    consumer_ref text not null,
    consumer_name text,
    provider_workspace_ref text,
    provider_metadata text,
    -- Set: this connection gets new tokens, and no other is made.
    connection_id text,
    redirect_uri text not null,
    opener_origin text,
    cookie_hash text,
    sealed_verifier text not null,
    seal_key_id text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (project_id, state_hash)
  );
`;
