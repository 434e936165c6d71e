import type { Migration } from '../migration';

/** Links by which one customer connects one account, and what they look like. */
export const connectSessions: Migration = {
  name: '20261130T072000-connect-sessions',
  up: async (knex) => {
    await knex.raw(`
  create table connect_sessions (
    project_id text not null,
    id text not null,
    -- SHA-256: the token itself is in the link alone.
    token_hash text not null,
    integration_id text not null,
    group_ref text not null,
    group_name text,
    consumer_ref text not null,
    consumer_name text,
    return_url text,
    -- SHA-256 of the cookie of the browser that began; null: none has.
    cookie_hash text,
    connection_id text,
    installation_id text,
    failure text,
    used_at timestamptz,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, token_hash)
  );
  create index connect_sessions_expires_at on connect_sessions (expires_at);`);
  },
};

/** A step of its own: each table is locked alone. */
export const authorizationsOfConnectSessions: Migration = {
  name: '20261130T072100-authorizations-of-connect-sessions',
  up: async (knex) => {
    await knex.raw('alter table oauth_states add column connect_session_id text');
  },
};

export const lookOfConnectPages: Migration = {
  name: '20261130T072200-look-of-connect-pages',
  up: async (knex) => {
    await knex.raw('alter table projects add column connect_origins text, add column connect_color text');
  },
};
