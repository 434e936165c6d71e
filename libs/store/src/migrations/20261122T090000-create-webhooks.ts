import type { Migration } from '../migration';

/**
 * Where a project's notifications go, and what is on its way there. A message is written by the transaction whose change it tells of, once
 * for each endpoint that asks for it; what is pending is found by jumps from endpoint to endpoint.
 */
export const createWebhooks: Migration = {
  name: '20261122T090000-create-webhooks',
  up: async (knex) => {
    await knex.raw(`
      create table webhook_endpoints (
        project_id text not null,
        id text not null,
        url text not null,
        description text,
        event_types text[] not null,
        is_enabled boolean not null default true,
        disabled_reason text,
        -- The first failed attempt since the last successful one.
        failing_since timestamptz,
        sealed_secret text not null,
        seal_key_id text not null,
        -- The secret before the last rotation signs until then.
        previous_secret_until timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz,
        primary key (project_id, id)
      );

      create table webhook_messages (
        project_id text not null,
        endpoint_id text not null,
        -- Of the event: equal at all endpoints of the project.
        id text not null,
        type text not null,
        payload text not null,
        state text not null default 'pending',
        -- Attempts begun; the number of the last one is the right to settle it.
        attempts integer not null default 0,
        -- The same since it was made or replayed: its place in the table of pauses.
        tries integer not null default 0,
        not_before timestamptz not null default now(),
        lease_until timestamptz,
        created_at timestamptz not null default now(),
        ended_at timestamptz,
        primary key (project_id, endpoint_id, id)
      );
      create index webhook_messages_pending on webhook_messages (project_id, endpoint_id, not_before) where state = 'pending';
      -- What is under way, of much that waits.
      create index webhook_messages_leased on webhook_messages (project_id, endpoint_id, lease_until)
        where state = 'pending' and lease_until is not null;
      create index webhook_messages_ended on webhook_messages (ended_at) where ended_at is not null;
      alter table webhook_messages set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      create table webhook_attempts (
        project_id text not null,
        endpoint_id text not null,
        message_id text not null,
        number integer not null,
        started_at timestamptz not null default now(),
        class text,
        status integer,
        duration_ms integer,
        response text,
        primary key (project_id, endpoint_id, message_id, number)
      );
    `);
  },
};
