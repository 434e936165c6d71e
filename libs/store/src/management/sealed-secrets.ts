import type { Knex } from 'knex';
import type { SealedCredentials } from './connection-store';
import { translated } from './translate-errors';

/** What has a sealed secret. */
export type SecretNoun = 'connection' | 'provider app';

/** One ciphertext with the row it stands in. */
export interface SealedSecret {
  readonly noun: SecretNoun;
  readonly projectId: string;
  readonly id: string;
  readonly text: string;
}

/** All sealed secrets of the database, of every project: for sealing them again with another key. */
export interface SealedSecretStore {
  /** Those that another key than this one sealed, at most `limit`, behind `after` in the order of project and id. */
  listOthers(noun: SecretNoun, keyId: string, limit: number, after?: SealedSecret): Promise<SealedSecret[]>;
  /** How many of each noun another key than this one sealed. */
  countOthers(noun: SecretNoun, keyId: string): Promise<number>;
  /** Puts a ciphertext in the place of the one that was read. False: another one stands there by now. */
  replace(secret: SealedSecret, sealed: SealedCredentials): Promise<boolean>;
}

const places = {
  connection: { table: 'connections', column: 'sealed_credentials' },
  'provider app': { table: 'provider_apps', column: 'sealed_client_secret' },
} as const;

export function sealedSecretStore(database: Knex): SealedSecretStore {
  const others = (noun: SecretNoun, keyId: string) => {
    const { table, column } = places[noun];
    return database(table).whereNotNull(column).andWhere('seal_key_id', '<>', keyId);
  };
  return translated<SealedSecretStore>({
    listOthers: async (noun, keyId, limit, after) => {
      const query = others(noun, keyId).orderBy(['project_id', 'id']).limit(limit);
      if (after !== undefined) void query.whereRaw('(project_id, id) > (?, ?)', [after.projectId, after.id]);
      const rows = await query.select<{ project_id: string; id: string; text: string }[]>('project_id', 'id', {
        text: places[noun].column,
      });
      return rows.map((row) => ({ noun, projectId: row.project_id, id: row.id, text: row.text }));
    },
    countOthers: async (noun, keyId) => {
      const row = await others(noun, keyId).count<{ count: string }[]>('* as count').first();
      return Number(row?.count ?? 0);
    },
    replace: async ({ noun, projectId, id, text }, sealed) => {
      const { table, column } = places[noun];
      const changed = await database(table)
        .where({ project_id: projectId, id, [column]: text })
        .update({ [column]: sealed.text, seal_key_id: sealed.keyId });
      return changed > 0;
    },
  });
}
