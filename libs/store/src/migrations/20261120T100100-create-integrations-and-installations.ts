import type { Migration } from '../migration';

/** Manifests with their revisions, connections with sealed credentials, installations with their config history. */
export const createIntegrationsAndInstallations: Migration = {
  name: '20261120T100100-create-integrations-and-installations',
  up: async (knex) => {
    await knex.raw(`
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

      -- Immutable: a changed manifest is a new revision.
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
        primary key (project_id, id)
      );
      create index connections_group on connections (project_id, group_ref, id);

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

      -- Immutable history: each change is a new row. Equal contents are stored once, by hash.
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
    `);
  },
};
