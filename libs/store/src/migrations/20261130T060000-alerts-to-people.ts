import type { Migration } from '../migration';

/** Installations that are unhealthy, from the change that turned them until the one that heals them: each is reported once. */
export const unhealthyInstallations: Migration = {
  name: '20261130T060000-unhealthy-installations',
  up: async (knex) => {
    await knex.raw(`
  create table unhealthy_installations (
    project_id text not null,
    installation_id text not null,
    since timestamptz not null default now(),
    primary key (project_id, installation_id)
  );`);
  },
};

/** What a receiver reads: our events as JSON, or a text as Slack takes it. */
export const webhookKinds: Migration = {
  name: '20261130T060100-webhook-kinds',
  up: async (knex) => {
    await knex.raw(`alter table webhook_endpoints add column kind text not null default 'webhook'`);
  },
};
