import type { Migration } from '../migration';

/** Addresses that were handed out for a zip, and the manifest of what was put there: an hour long. Of an address only its hash is kept. */
export const createUploads: Migration = {
  name: '20261122T163000-create-uploads',
  up: async (knex) => {
    await knex.raw(`
      create table uploads (
        project_id text not null,
        id text not null,
        token_hash text not null,
        -- What the bytes must come to, in base64, when whoever asked said so.
        md5 text,
        -- Absent until something was put. Bytes, because a text could not have everything that a file can.
        manifest bytea,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        primary key (project_id, id)
      );
      create unique index uploads_by_token on uploads (project_id, token_hash);
      create index uploads_by_end on uploads (expires_at);
    `);
  },
};
