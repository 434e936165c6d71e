import type { Knex } from 'knex';
import { inMs } from '../database';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { optional, plain, table, type StoredRow } from '../table';

/** Names one upload inside its project. */
export interface UploadKey {
  readonly projectId: string;
  readonly id: string;
}

/** One address that was handed out, and has not ended. */
const uploads = table({
  projectId: plain('project_id'),
  id: plain('id'),
  /** What the bytes must come to, in base64; absent: anything. */
  md5: optional(plain('md5')),
  /** Bytes of the manifest in what was put; absent: nothing was put yet. */
  manifest: optional(plain<Buffer>('manifest')),
  /** SHA-256 of the zip that was put. */
  zipHash: optional(plain('zip_hash')),
});

export type Upload = ReturnType<typeof uploads.read>;

export interface NewUpload extends Omit<Upload, 'manifest' | 'zipHash'> {
  /** SHA-256 of the secret in the address, which is not kept. */
  readonly tokenHash: string;
}

/** Invariants: what was put once stays as it is; what has ended, by the database's clock, is not there for anybody. */
export function uploadStore(database: Knex) {
  const living = (key: object) => database('uploads').where(key).where('expires_at', '>', database.raw('now()'));
  const findBy = async (key: object): Promise<Upload | undefined> =>
    uploads.first(await living(key).select<StoredRow[]>(uploads.columns));
  return {
    /**
     * Keeps an address.
     * @param lifeMs how long it is good
     * @param waitingMax of a project; the oldest are deleted
     */
    save: async ({ tokenHash, ...upload }: NewUpload, lifeMs: number, waitingMax: number): Promise<void> => {
      const row = { ...uploads.write(upload), token_hash: tokenHash, expires_at: inMs(database, lifeMs) };
      await database('uploads').insert(row);
      await guard(() => database.raw(deleteOldestSql, { projectId: upload.projectId, waitingMax }), refusedStatement);
    },
    find: ({ projectId, id }: UploadKey) => findBy({ project_id: projectId, id }),
    findByToken: ({ projectId, tokenHash }: { readonly projectId: string; readonly tokenHash: string }) =>
      findBy({ project_id: projectId, token_hash: tokenHash }),
    /**
     * Keeps what was put, for `lifeMs` from now.
     * @returns false when something was put before, or the address has ended
     */
    put: async (
      { projectId, id }: UploadKey,
      content: Required<Pick<Upload, 'manifest' | 'zipHash'>>,
      lifeMs: number,
    ): Promise<boolean> => {
      const waiting = living({ project_id: projectId, id }).whereNull('manifest');
      return (await waiting.update({ ...uploads.write(content), expires_at: inMs(database, lifeMs) })) === 1;
    },
    /** Deletes those that have ended. @returns how many, `limit` at most; at `limit` there may be more */
    purge: async (limit: number): Promise<number> =>
      (await database.raw<{ rowCount: number }>(purgeSql, { limit })).rowCount,
  };
}

/** Ids grow with time, so the newest are the last. */
const deleteOldestSql = `delete from uploads where project_id = :projectId and id in (
  select id from uploads where project_id = :projectId order by id desc offset :waitingMax)`;

const purgeSql = `delete from uploads where (project_id, id) in (
  select project_id, id from uploads where expires_at <= now() order by expires_at limit :limit for update skip locked)`;
