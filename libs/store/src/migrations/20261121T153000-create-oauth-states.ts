import type { Migration } from '../migration';

/** What waits for a customer who was sent to a provider's page: minutes long, used once. The state itself is not kept, only its hash. */
export const createOAuthStates: Migration = {
  name: '20261121T153000-create-oauth-states',
  up: async (knex) => {
    await knex.raw(`
      create table oauth_states (
        project_id text not null,
        state_hash text not null,
        provider text not null,
        provider_app_id text not null,
        group_ref text not null,
        group_name text,
        consumer_ref text not null,
        consumer_name text,
        provider_workspace_ref text,
        provider_metadata text,
        -- Set: this connection gets new tokens, and no other is made.
        connection_id text,
        redirect_uri text not null,
        opener_origin text,
        cookie_hash text,
        sealed_verifier text not null,
        seal_key_id text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        primary key (project_id, state_hash)
      );
    `);
  },
};
