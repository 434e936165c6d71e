import type { Migration } from '../migration';

/** Who may call, and for whom. `project_id` comes first in every key, so that tables can be spread by project. */
export const createProjectsAndKeys: Migration = {
  name: '20261120T100000-create-projects-and-keys',
  up: async (knex) => {
    await knex.raw(`
      create table projects (
        id text primary key,
        name text not null,
        app_name text not null,
        org_id text not null,
        drop_unmapped_fields boolean not null default false,
        created_at timestamptz not null default now(),
        updated_at timestamptz
      );
      create unique index projects_name on projects (name);

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
    `);
  },
};
