/** Who may call, and for whom. */
export const projects = `
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
