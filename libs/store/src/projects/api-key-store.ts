import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey, Page, Scope } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { onPage } from '../page';
import { translated } from '../translate-errors';

export interface NewApiKey {
  readonly projectId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** The key itself: at least 128 random bits. Only its SHA-256 is stored. */
  readonly secret: string;
}

/** What of a key can change; what is absent stays. */
export interface ApiKeyChange {
  readonly label?: string;
  readonly active?: boolean;
  readonly scopes?: readonly Scope[];
}

/** Invariant: the key leaves this store never and enters it twice, at creation and when it is presented. */
export interface ApiKeyStore {
  /** `key` of the result is the public id. */
  create(key: NewApiKey): Promise<ApiKey>;
  /** Oldest first; with a page one more than fits. `activeOnly` leaves out those that are switched off. */
  list(projectId: string, activeOnly?: boolean, page?: Page): Promise<ApiKey[]>;
  find(projectId: string, keyId: string): Promise<ApiKey | undefined>;
  /** Undefined when there is no such key. */
  update(projectId: string, keyId: string, change: ApiKeyChange): Promise<ApiKey | undefined>;
  /** False when there was none. */
  remove(projectId: string, keyId: string): Promise<boolean>;
  /** The active key with this secret, of whichever project. */
  findPresented(secret: string): Promise<ApiKey | undefined>;
}

interface ApiKeyRow {
  project_id: string;
  id: string;
  key_hash: Buffer;
  label: string;
  scopes: Scope[];
  active: boolean;
  created_at: Date;
}

export function apiKeyStore(database: Knex): ApiKeyStore {
  const table = () => database<ApiKeyRow>('api_keys');
  return translated<ApiKeyStore>({
    create: async ({ projectId, label, scopes, secret }) => {
      const row = { project_id: projectId, id: newId(), key_hash: hash(secret), label, scopes: [...scopes] };
      const rows = await table().insert(row).returning('*');
      return toApiKey(rows[0] as ApiKeyRow);
    },
    list: async (projectId, activeOnly = false, page) => {
      const filter = activeOnly ? { active: true } : {};
      const query = table()
        .where({ project_id: projectId, ...filter })
        .orderBy('id')
        .select('*');
      return (await onPage(query, 'id', page)).map(toApiKey);
    },
    find: async (projectId, keyId) => {
      const row = await table().where({ project_id: projectId, id: keyId }).first();
      return row && toApiKey(row);
    },
    update: async (projectId, keyId, { scopes, ...change }) => {
      const [row] = await table()
        .where({ project_id: projectId, id: keyId })
        .update({ ...change, ...(scopes && { scopes: [...scopes] }) })
        .returning('*');
      return row && toApiKey(row);
    },
    remove: async (projectId, keyId) => (await table().where({ project_id: projectId, id: keyId }).delete()) > 0,
    findPresented: async (secret) => {
      const digest = hash(secret);
      const rows = await table()
        .where({ key_hash: digest, active: true })
        .whereNotExists(deletionOf(database, 'api_keys'))
        .select('*');
      const row = rows.find((candidate) => timingSafeEqual(candidate.key_hash, digest));
      return row && toApiKey(row);
    },
  });
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    key: row.id,
    projectId: row.project_id,
    label: row.label,
    scopes: row.scopes,
    active: row.active,
    createTime: row.created_at.toISOString(),
  };
}

/** The deletion of the project that a row of this table belongs to: a key that was made meanwhile opens nothing. */
export function deletionOf(database: Knex, table: 'api_keys' | 'jwt_keys'): Knex.QueryBuilder {
  return database('project_deletions as d').whereRaw('d.project_id = ??', [`${table}.project_id`]);
}
