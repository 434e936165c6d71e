import type { Migration } from '../migration';

/** Who made a key, when it was used last, and how an API key begins. Keys of before have neither author nor beginning. A step for each table. */
export const apiKeyUses: Migration = {
  name: '20261129T213000-api-key-uses',
  up: async (knex) => {
    await knex.raw(`
  -- prefix: what may be shown of the key. last_used_at: to the minute.
  alter table api_keys add column prefix text, add column created_by text, add column last_used_at timestamptz;`);
  },
};

export const jwtKeyUses: Migration = {
  name: '20261129T213100-jwt-key-uses',
  up: async (knex) => {
    await knex.raw(`alter table jwt_keys add column created_by text, add column last_used_at timestamptz;`);
  },
};

export const revisionAuthors: Migration = {
  name: '20261129T213200-revision-authors',
  up: async (knex) => {
    await knex.raw(`alter table revisions add column created_by text;`);
  },
};
