import type { Knex } from 'knex';
import { translated } from '../translate-errors';

/** Names one upload inside its project. */
export interface UploadKey {
  readonly projectId: string;
  readonly id: string;
}

/** One address that was handed out, and has not ended. */
export interface Upload extends UploadKey {
  /** What the bytes must come to, in base64; absent: anything. */
  readonly md5?: string;
  /** Bytes of the manifest in what was put; absent: nothing was put yet. */
  readonly manifest?: Buffer;
  /** SHA-256 of the zip that was put. */
  readonly zipHash?: string;
}

export interface NewUpload extends Omit<Upload, 'manifest' | 'zipHash'> {
  /** SHA-256 of the secret in the address, which is not kept. */
  readonly tokenHash: string;
}

/** Invariants: what was put once stays as it is; what has ended, by the database's clock, is not there for anybody. */
export interface UploadStore {
  /**
   * Keeps an address.
   * @param lifeMs how long it is good
   * @param waitingMax of a project; the oldest give way
   */
  save(upload: NewUpload, lifeMs: number, waitingMax: number): Promise<void>;
  find(key: UploadKey): Promise<Upload | undefined>;
  findByToken(key: { readonly projectId: string; readonly tokenHash: string }): Promise<Upload | undefined>;
  /**
   * Keeps what was put, for `lifeMs` from now.
   * @returns false when something was put before, or the address has ended
   */
  put(key: UploadKey, content: Required<Pick<Upload, 'manifest' | 'zipHash'>>, lifeMs: number): Promise<boolean>;
  /** Deletes those that have ended. @returns how many, `limit` at most; at `limit` there may be more */
  purge(limit: number): Promise<number>;
}

interface UploadRow {
  project_id: string;
  id: string;
  md5: string | null;
  manifest: Buffer | null;
  zip_hash: string | null;
}

export function uploadStore(database: Knex): UploadStore {
  const endIn = (lifeMs: number) => database.raw('now() + make_interval(secs => ?::float8 / 1000)', [lifeMs]);
  const findBy = async (key: { project_id: string } & ({ id: string } | { token_hash: string })) => {
    const living = database<UploadRow>('uploads').where(key).where('expires_at', '>', database.raw('now()'));
    const row = await living.first('project_id', 'id', 'md5', 'manifest', 'zip_hash');
    return row && toUpload(row);
  };
  return translated<UploadStore>({
    save: async ({ projectId, id, md5, tokenHash }, lifeMs, waitingMax) => {
      const row = { project_id: projectId, id, md5, token_hash: tokenHash };
      await database('uploads').insert({ ...row, expires_at: endIn(lifeMs) });
      await database.raw(givingWaySql, { projectId, waitingMax });
    },
    find: ({ projectId, id }) => findBy({ project_id: projectId, id }),
    findByToken: ({ projectId, tokenHash }) => findBy({ project_id: projectId, token_hash: tokenHash }),
    put: async ({ projectId, id }, { manifest, zipHash }, lifeMs) => {
      const waiting = database('uploads').where({ project_id: projectId, id }).whereNull('manifest');
      const living = waiting.where('expires_at', '>', database.raw('now()'));
      return (await living.update({ manifest, zip_hash: zipHash, expires_at: endIn(lifeMs) })) === 1;
    },
    purge: async (limit) => (await database.raw<{ rowCount: number }>(purgeSql, { limit })).rowCount,
  });
}

/** Ids grow with time, so the newest are the last. */
const givingWaySql = `delete from uploads where project_id = :projectId and id in (
  select id from uploads where project_id = :projectId order by id desc offset :waitingMax)`;

const purgeSql = `delete from uploads where (project_id, id) in (
  select project_id, id from uploads where expires_at <= now() order by expires_at limit :limit for update skip locked)`;

function toUpload({ project_id: projectId, id, md5, manifest, zip_hash: zipHash }: UploadRow): Upload {
  return {
    projectId,
    id,
    ...(md5 === null ? {} : { md5 }),
    ...(manifest === null ? {} : { manifest }),
    ...(zipHash === null ? {} : { zipHash }),
  };
}
