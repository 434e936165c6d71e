import type { Migration } from '../migration';

/** Replies that a repeated request gets again (72 h), and calls that crashed an executor four times. */
export const createIdempotencyAndQuarantine: Migration = {
  name: '20261120T100300-create-idempotency-and-quarantine',
  up: async (knex) => {
    await knex.raw(`
      create table idempotency_keys (
        project_id text not null,
        scope text not null,
        key text not null,
        body_hash text not null,
        operation_id text not null,
        reply text,
        created_at timestamptz not null default now(),
        primary key (project_id, scope, key)
      );
      create index idempotency_keys_age on idempotency_keys (created_at);

      create table quarantine (
        project_id text not null,
        operation_id text not null,
        call_number integer not null,
        reason text not null,
        replay_command text not null,
        created_at timestamptz not null default now(),
        primary key (project_id, operation_id, call_number)
      );
    `);
  },
};
