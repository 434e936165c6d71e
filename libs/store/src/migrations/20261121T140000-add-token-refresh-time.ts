import type { Migration } from '../migration';

/** When an access token should be refreshed, which depends on how long it lives, not only on when it ends. */
export const addTokenRefreshTime: Migration = {
  name: '20261121T140000-add-token-refresh-time',
  up: async (knex) => {
    await knex.raw(`
      alter table connections add column token_refresh_at timestamptz;
      create index provider_apps_provider on provider_apps (project_id, provider, id);
    `);
  },
};
