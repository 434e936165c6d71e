import type { JwtKey } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { translated } from '../translate-errors';
import { deletionOf } from './api-key-store';

export interface NewJwtKey {
  readonly projectId: string;
  readonly label: string;
  /** Checked by the caller: RSA, in SPKI form. */
  readonly publicKeyPem: string;
}

/** What of a key can change; what is absent stays. */
export interface JwtKeyChange {
  readonly label?: string;
  readonly active?: boolean;
}

/** Public keys only: nothing in this store is a secret. */
export interface JwtKeyStore {
  create(key: NewJwtKey): Promise<JwtKey>;
  /** Oldest first. `activeOnly` leaves out those that are switched off. */
  list(projectId: string, activeOnly?: boolean): Promise<JwtKey[]>;
  find(projectId: string, keyId: string): Promise<JwtKey | undefined>;
  /** Undefined when there is no such key. */
  update(projectId: string, keyId: string, change: JwtKeyChange): Promise<JwtKey | undefined>;
  /** False when there was none. */
  remove(projectId: string, keyId: string): Promise<boolean>;
  /** The active key that a token names, of whichever project. */
  findNamed(keyId: string): Promise<JwtKey | undefined>;
}

interface JwtKeyRow {
  project_id: string;
  id: string;
  label: string;
  public_key_pem: string;
  active: boolean;
  created_at: Date;
  updated_at: Date | null;
}

export function jwtKeyStore(database: Knex): JwtKeyStore {
  const table = () => database<JwtKeyRow>('jwt_keys');
  const one = (projectId: string, keyId: string) => table().where({ project_id: projectId, id: keyId });
  return translated<JwtKeyStore>({
    create: async ({ projectId, label, publicKeyPem }) => {
      const row = { project_id: projectId, id: newId(), label, public_key_pem: publicKeyPem };
      const rows = await table().insert(row).returning('*');
      return toJwtKey(rows[0] as JwtKeyRow);
    },
    list: async (projectId, activeOnly = false) => {
      const filter = activeOnly ? { active: true } : {};
      const rows = await table()
        .where({ project_id: projectId, ...filter })
        .orderBy('id')
        .select('*');
      return rows.map(toJwtKey);
    },
    find: async (projectId, keyId) => {
      const row = await one(projectId, keyId).first();
      return row && toJwtKey(row);
    },
    update: async (projectId, keyId, change) => {
      const [row] = await one(projectId, keyId)
        .update({ ...change, updated_at: database.fn.now() })
        .returning('*');
      return row && toJwtKey(row);
    },
    remove: async (projectId, keyId) => (await one(projectId, keyId).delete()) > 0,
    findNamed: async (keyId) => {
      const row = await table()
        .where({ id: keyId, active: true })
        .whereNotExists(deletionOf(database, 'jwt_keys'))
        .first();
      return row && toJwtKey(row);
    },
  });
}

function toJwtKey(row: JwtKeyRow): JwtKey {
  return {
    id: row.id,
    projectId: row.project_id,
    label: row.label,
    algorithm: 'RSA',
    publicKeyPem: row.public_key_pem,
    active: row.active,
    createTime: row.created_at.toISOString(),
    updateTime: (row.updated_at ?? row.created_at).toISOString(),
  };
}
