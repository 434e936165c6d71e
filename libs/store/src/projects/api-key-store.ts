import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey, BoundedPage, Page, Scope } from '@sluice/types';
import type { Knex } from 'knex';
import { authorMembers, labelOfAuthor } from '../authors';
import { newId } from '../new-id';
import { pageOfRows } from '../page';
import { moment, optional, plain, table, type StoredRow } from '../table';

export interface NewApiKey extends Pick<ApiKey, 'projectId' | 'label' | 'scopes' | 'prefix' | 'createdBy'> {
  /** The key itself: at least 128 random bits. Only its SHA-256 is stored. */
  readonly secret: string;
}

/** What of a key can change; what is absent stays. */
export type ApiKeyChange = Partial<Pick<ApiKey, 'label' | 'active' | 'scopes'>>;

/** `key` is the public id. */
const apiKeys = table({
  id: plain('id'),
  key: plain('id'),
  projectId: plain('project_id'),
  label: plain('label'),
  prefix: optional(plain('prefix')),
  scopes: plain<readonly Scope[]>('scopes'),
  active: plain<boolean>('active'),
  createTime: moment('created_at'),
  ...authorMembers,
  lastUseTime: optional(moment('last_used_at')),
});

/** Invariant: the key leaves this store never and enters it twice, at creation and when it is presented. */
export function apiKeyStore(database: Knex) {
  const rows = (where: object) => database('api_keys').where(where);
  const one = (projectId: string, keyId: string) => rows({ project_id: projectId, id: keyId });
  const shown = ['*', labelOfAuthor(database, 'api_keys')];
  return {
    create: async ({ secret, ...key }: NewApiKey): Promise<ApiKey> => {
      const row = { ...apiKeys.write({ ...key, id: newId() }), key_hash: hash(secret) };
      return apiKeys.first(await database('api_keys').insert(row).returning<StoredRow[]>(shown)) as ApiKey;
    },
    /** `activeOnly` leaves out those that are switched off. */
    listPage: (projectId: string, activeOnly: boolean | undefined, page: Page): Promise<BoundedPage<ApiKey>> =>
      pageOfRows(
        rows({ project_id: projectId, ...(activeOnly && { active: true }) }).select(shown),
        page,
        apiKeys.read,
      ),
    find: async (projectId: string, keyId: string): Promise<ApiKey | undefined> =>
      apiKeys.first(await one(projectId, keyId).select<StoredRow[]>(shown)),
    /** Undefined when there is no such key. */
    update: async (projectId: string, keyId: string, change: ApiKeyChange): Promise<ApiKey | undefined> =>
      apiKeys.first(await one(projectId, keyId).update(apiKeys.write(change)).returning<StoredRow[]>(shown)),
    /** False when there was none. */
    remove: async (projectId: string, keyId: string): Promise<boolean> => (await one(projectId, keyId).delete()) > 0,
    /** The active key with this secret, of whichever project. It is noted as used. */
    findPresented: async (secret: string): Promise<ApiKey | undefined> => {
      const digest = hash(secret);
      const found = rows({ key_hash: digest, active: true }).whereNotExists(deletionOf(database, 'api_keys'));
      const candidates = await found.select<(StoredRow & { key_hash: Buffer })[]>('*', unnotedUse(database));
      const matching = candidates.filter(({ key_hash: stored }) => timingSafeEqual(stored, digest));
      noteUse(database, 'api_keys', matching[0]);
      return apiKeys.first(matching);
    },
  };
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A use is written when the last one that was is older than this, by whichever process sees it first. */
const useEverySeconds = 60;

const isUnnoted = `last_used_at is null or last_used_at < now() - interval '${useEverySeconds} seconds'`;

/** Beside a key that is looked up: whether this use has to be written. */
export const unnotedUse = (database: Knex) => database.raw(`(${isUnnoted}) as is_unnoted`);

/**
 * Writes that a key was used, while its request goes on. Lookups are a second apart for each process, so this is a statement a minute for a key,
 * whatever its requests. One that fails is made up for by the next lookup.
 */
export function noteUse(database: Knex, keys: 'api_keys' | 'jwt_keys', row: StoredRow | undefined): void {
  if (row?.['is_unnoted'] !== true) return;
  const { project_id, id } = row;
  const noted = database(keys).where({ project_id, id }).whereRaw(`(${isUnnoted})`);
  noted.update({ last_used_at: database.fn.now() }).catch(() => undefined);
}

/** The deletion of the project that a row of this table belongs to: a key that was made meanwhile opens nothing. */
export function deletionOf(database: Knex, keys: 'api_keys' | 'jwt_keys'): Knex.QueryBuilder {
  return database('project_deletions as d').whereRaw('d.project_id = ??', [`${keys}.project_id`]);
}
