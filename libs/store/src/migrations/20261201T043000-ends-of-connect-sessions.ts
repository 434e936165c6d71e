import type { Migration } from '../migration';

/** What ends with a connect session, and what ends it. */
export const endsOfConnectSessions: Migration = {
  name: '20261201T043000-ends-of-connect-sessions',
  up: async (knex) => {
    await knex.raw(`
  alter table connect_sessions
    -- Whether the session made its connection. One that was there before is not taken back.
    add column has_made_connection boolean not null default false,
    -- The API key that made the link; null: a person or the bootstrap key did.
    add column key_id text;
  create index connect_sessions_open on connect_sessions (project_id) where used_at is null;`);
  },
};
