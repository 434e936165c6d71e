/** Who may call, and for whom. */
export const callers = `
  create table projects (
    id text primary key,
    name text not null,
    app_name text not null,
    org_id text not null,
    drop_unmapped_fields boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    -- A name that a project's own key chose may be another one's, too: refusing it would say that there is such a project.
    is_named_by_key boolean not null default false
  );
  create unique index projects_name on projects (name) where not is_named_by_key;
  create index projects_named_by_key on projects (name) where is_named_by_key;

  -- Deleted, with rows left: what is being sent has yet to end, or there is much to erase.
  create table project_deletions (
    project_id text primary key,
    requested_at timestamptz not null default now()
  );

  create table api_keys (
    project_id text not null,
    id text not null,
    key_hash bytea not null,
    label text not null,
    scopes text[] not null,
    active boolean not null default true,
    created_at timestamptz not null default now(),
    primary key (project_id, id)
  );
  -- The project is not known when a key is presented. 256 random bits need no unique index.
  create index api_keys_hash on api_keys (key_hash);

  create table jwt_keys (
    project_id text not null,
    id text not null,
    label text not null,
    public_key_pem text not null,
    active boolean not null default true,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, id)
  );
  -- The project is not known when a token names its key. Ids are random.
  create index jwt_keys_id on jwt_keys (id);

  create table groups (
    project_id text not null,
    group_ref text not null,
    group_name text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, group_ref)
  );

  create table consumers (
    project_id text not null,
    consumer_ref text not null,
    consumer_name text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, consumer_ref)
  );
`;

/** Manifests with their revisions, connections with sealed credentials, installations with their config history. */
export const customers = `
  create table integrations (
    project_id text not null,
    id text not null,
    name text not null,
    provider text not null,
    latest_revision_id text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, id)
  );
  create unique index integrations_name on integrations (project_id, name);

  -- Never changed: a changed manifest is a new revision.
  create table revisions (
    project_id text not null,
    id text not null,
    integration_id text not null,
    spec_version text not null,
    content text not null,
    created_at timestamptz not null default now(),
    primary key (project_id, id)
  );
  create index revisions_integration on revisions (project_id, integration_id, id);

  -- Addresses that were handed out for a zip, an hour long, and the manifest of what was put there. Of an address only its hash is kept.
  create table uploads (
    project_id text not null,
    id text not null,
    token_hash text not null,
    -- What the bytes must come to, in base64, when whoever asked said so.
    md5 text,
    -- Absent until something was put. Bytes, because a text could not have everything that a file can.
    manifest bytea,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    -- SHA-256 of the whole zip, of which only the manifest is kept.
    zip_hash text,
    primary key (project_id, id)
  );
  create unique index uploads_by_token on uploads (project_id, token_hash);
  create index uploads_by_end on uploads (expires_at);

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
  );
  create unique index lanes_account on lanes (project_id, provider, account_ref);
  -- Updated for every block: half-empty pages keep its updates inside the page, where no index is touched.
  alter table lanes set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);

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

  create table installations (
    project_id text not null,
    id text not null,
    integration_id text not null,
    group_ref text not null,
    connection_id text not null,
    config_id text not null,
    created_by text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    primary key (project_id, id)
  );
  create unique index installations_group on installations (project_id, integration_id, group_ref);

  -- Whose an installation was: what an executor ends after its deletion is said to the same group. Small, and kept like its operations.
  create table deleted_installations (
    project_id text not null,
    id text not null,
    group_ref text not null,
    -- Its last one.
    connection_id text not null,
    -- Of that connection; null when it was gone before.
    consumer_ref text,
    deleted_at timestamptz not null default now(),
    primary key (project_id, id)
  );

  -- Never changed: each change is a new row. Equal contents are stored once, by hash.
  create table configs (
    project_id text not null,
    id text not null,
    installation_id text not null,
    revision_id text not null,
    content_hash text not null,
    created_by text not null,
    created_at timestamptz not null default now(),
    primary key (project_id, id)
  );
  create index configs_installation on configs (project_id, installation_id, id);

  create table config_contents (
    project_id text not null,
    hash text not null,
    content text not null,
    primary key (project_id, hash)
  );
`;
