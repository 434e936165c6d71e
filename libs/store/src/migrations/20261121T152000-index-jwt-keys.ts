import type { Migration } from '../migration';

/** The project is not known when a token names its key. Ids are random, so the index need not be unique. */
export const indexJwtKeys: Migration = {
  name: '20261121T152000-index-jwt-keys',
  up: async (knex) => {
    await knex.raw('create index jwt_keys_id on jwt_keys (id)');
  },
};
