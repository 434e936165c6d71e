import type { Knex } from 'knex';
import { translated } from './translate-errors';

/** Credentials as ciphertext: this store neither makes nor opens it. */
export interface SealedCredentials {
  readonly text: string;
  /** Id of the key that sealed them, for finding what a rotation still has to seal again. */
  readonly keyId: string;
}

/** What has a sealed secret. */
export type SecretNoun = 'connection' | 'provider app' | 'webhook endpoint';

/** All of them. */
export const secretNouns: readonly SecretNoun[] = ['connection', 'provider app', 'webhook endpoint'];

/** One ciphertext with the row it stands in. */
export interface SealedSecret {
  readonly noun: SecretNoun;
  readonly projectId: string;
  readonly id: string;
  readonly text: string;
}

/** What one key of a ring sealed. */
export interface SealedByKey {
  readonly keyId: string;
  readonly count: number;
  /** Some of them. */
  readonly samples: readonly SealedSecret[];
}

/** All sealed secrets of the database, of every project: for sealing them again with another key. */
export interface SealedSecretStore {
  /** Those that another key than this one sealed, at most `limit`, behind `after` in the order of project and id. */
  listOthers(noun: SecretNoun, keyId: string, limit: number, after?: SealedSecret): Promise<SealedSecret[]>;
  /** How many of each noun another key than this one sealed. */
  countOthers(noun: SecretNoun, keyId: string): Promise<number>;
  /** Each key that sealed anything, with at most `perKey` of its ciphertexts, the first of their projects. Reads the key id of every row: for starts, not for requests. */
  sampleKeys(noun: SecretNoun, perKey: number): Promise<SealedByKey[]>;
  /** Puts a ciphertext in the place of the one that was read. False: another one stands there by now. */
  replace(secret: SealedSecret, sealed: SealedCredentials): Promise<boolean>;
}

const places = {
  connection: { table: 'connections', column: 'sealed_credentials' },
  'provider app': { table: 'provider_apps', column: 'sealed_client_secret' },
  'webhook endpoint': { table: 'webhook_endpoints', column: 'sealed_secret' },
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
    sampleKeys: (noun, perKey) => sampleKeys(database, noun, perKey),
    replace: async ({ noun, projectId, id, text }, sealed) => {
      const { table, column } = places[noun];
      const changed = await database(table)
        .where({ project_id: projectId, id, [column]: text })
        .update({ [column]: sealed.text, seal_key_id: sealed.keyId });
      return changed > 0;
    },
  });
}

interface SampleRow {
  readonly key_id: string;
  readonly count: string;
  readonly project_id: string;
  readonly id: string;
  readonly text: string;
}

async function sampleKeys(database: Knex, noun: SecretNoun, perKey: number): Promise<SealedByKey[]> {
  const { table, column } = places[noun];
  const { rows } = await database.raw<{ rows: SampleRow[] }>(
    `select k.seal_key_id as key_id, k.count, s.project_id, s.id, s.text
     from (select seal_key_id, count(*) as count from ${table} where ${column} is not null group by seal_key_id) k
     cross join lateral (select t.project_id, t.id, t.${column} as text from ${table} t
       where t.seal_key_id = k.seal_key_id and t.${column} is not null order by t.project_id, t.id limit ?) s
     order by 1`,
    [perKey],
  );
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id);
  return [...byKey].map(([keyId, samples]) => ({
    keyId,
    count: Number(samples[0]?.count ?? 0),
    samples: samples.map(({ project_id: projectId, id, text }) => ({ noun, projectId, id, text })),
  }));
}
