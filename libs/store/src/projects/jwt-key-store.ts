import type { BoundedPage, JwtKey, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { authorMembers, labelOfAuthor } from '../authors';
import { newId } from '../new-id';
import { pageOfRows } from '../page';
import { moment, optional, plain, table, times, type StoredRow } from '../table';
import { deletionOf, noteUse, unnotedUse } from './api-key-store';

export interface NewJwtKey extends Pick<JwtKey, 'projectId' | 'label' | 'createdBy'> {
  /** Checked by the caller: RSA, in SPKI form. */
  readonly publicKeyPem: string;
}

/** What of a key can change; what is absent stays. */
export type JwtKeyChange = Partial<Pick<JwtKey, 'label' | 'active'>>;

const jwtKeys = table({
  id: plain('id'),
  projectId: plain('project_id'),
  label: plain('label'),
  publicKeyPem: plain('public_key_pem'),
  active: plain<boolean>('active'),
  ...times,
  ...authorMembers,
  lastUseTime: optional(moment('last_used_at')),
});

/** Public keys only: nothing in this store is a secret. */
export function jwtKeyStore(database: Knex) {
  const rows = (where: object) => database('jwt_keys').where(where);
  const one = (projectId: string, keyId: string) => rows({ project_id: projectId, id: keyId });
  const first = ([row]: StoredRow[]) => row && toJwtKey(row);
  const shown = ['*', labelOfAuthor(database, 'jwt_keys')];
  return {
    create: async (key: NewJwtKey): Promise<JwtKey> => {
      const row = jwtKeys.write({ ...key, id: newId() });
      return first(await database('jwt_keys').insert(row).returning<StoredRow[]>(shown)) as JwtKey;
    },
    /** `activeOnly` leaves out those that are switched off. */
    listPage: (projectId: string, activeOnly: boolean | undefined, page: Page): Promise<BoundedPage<JwtKey>> =>
      pageOfRows(rows({ project_id: projectId, ...(activeOnly && { active: true }) }).select(shown), page, toJwtKey),
    find: async (projectId: string, keyId: string): Promise<JwtKey | undefined> =>
      first(await one(projectId, keyId).select<StoredRow[]>(shown)),
    /** Undefined when there is no such key. */
    update: async (projectId: string, keyId: string, change: JwtKeyChange): Promise<JwtKey | undefined> => {
      const changed = one(projectId, keyId).update({ ...jwtKeys.write(change), updated_at: database.fn.now() });
      return first(await changed.returning<StoredRow[]>(shown));
    },
    /** False when there was none. */
    remove: async (projectId: string, keyId: string): Promise<boolean> => (await one(projectId, keyId).delete()) > 0,
    /** The active key that a token names, of whichever project. It is noted as used. */
    findNamed: async (keyId: string): Promise<JwtKey | undefined> => {
      const found = rows({ id: keyId, active: true }).whereNotExists(deletionOf(database, 'jwt_keys'));
      const named = await found.select<StoredRow[]>('*', unnotedUse(database));
      noteUse(database, 'jwt_keys', named[0]);
      return first(named);
    },
  };
}

function toJwtKey(row: StoredRow): JwtKey {
  const { id, projectId, label, ...key } = jwtKeys.read(row);
  return { id, projectId, label, algorithm: 'RSA', ...key, updateTime: key.updateTime ?? key.createTime };
}
