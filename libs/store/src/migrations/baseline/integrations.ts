/** Manifests with their revisions. */
export const integrations = `
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
`;
