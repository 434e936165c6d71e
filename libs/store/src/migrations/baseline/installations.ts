/** Installations with their config history. */
export const installations = `
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
