import type { Migration } from '../migration';

/** Who signs in to the console, under an id of ours, and what ends when somebody signs out. Neither belongs to a project. */
export const peopleAndSessions: Migration = {
  name: '20261129T000000-people-and-sessions',
  up: async (knex) => {
    await knex.raw(`
  create table people (
    id text primary key,
    issuer text not null,
    subject text not null,
    created_at timestamptz not null default now(),
    unique (issuer, subject)
  );

  -- person_id: null before the sign-in is complete, and after the sign-out.
  create table sessions (
    id text primary key,
    person_id text,
    ends_at timestamptz not null
  );
  create index sessions_ends_at on sessions (ends_at);`);
  },
};
