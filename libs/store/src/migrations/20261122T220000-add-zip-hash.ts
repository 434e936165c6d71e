import type { Migration } from '../migration';

/** Tells the zip of an upload from another one. Null: nothing was put yet, or by a version that did not know the column. */
export const addZipHash: Migration = {
  name: '20261122T220000-add-zip-hash',
  up: async (knex) => {
    await knex.raw(`
      -- SHA-256 of the whole zip, of which only the manifest is kept.
      alter table uploads add column zip_hash text;
    `);
  },
};
