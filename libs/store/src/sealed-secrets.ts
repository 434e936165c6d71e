import type { Knex } from 'knex';
import { bound } from './database';

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

const stored = {
  connection: { table: 'connections', column: 'sealed_credentials' },
  'provider app': { table: 'provider_apps', column: 'sealed_client_secret' },
  'webhook endpoint': { table: 'webhook_endpoints', column: 'sealed_secret' },
} as const;

/** The columns of a new ciphertext. */
export function sealedColumns(noun: SecretNoun, { text, keyId }: SealedCredentials): Record<string, string> {
  return { [stored[noun].column]: text, seal_key_id: keyId };
}

/** All sealed secrets of the database, of every project: for sealing them again with another key. */
export function sealedSecretStore(database: Knex) {
  const others = (noun: SecretNoun, keyId: string) => {
    const { table, column } = stored[noun];
    return database(table).whereNotNull(column).andWhere('seal_key_id', '<>', keyId);
  };
  return {
    /** Those that another key than this one sealed, at most `limit`, behind `after` in the order of project and id. */
    listOthers: async (
      noun: SecretNoun,
      keyId: string,
      limit: number,
      after?: SealedSecret,
    ): Promise<SealedSecret[]> => {
      const query = others(noun, keyId).orderBy(['project_id', 'id']).limit(limit);
      if (after !== undefined) void query.whereRaw('(project_id, id) > (?, ?)', [after.projectId, after.id]);
      const columns = { projectId: 'project_id', id: 'id', text: stored[noun].column };
      return (await query.select<Omit<SealedSecret, 'noun'>[]>(columns)).map((row) => ({ noun, ...row }));
    },
    /** How many of each noun another key than this one sealed. */
    countOthers: async (noun: SecretNoun, keyId: string): Promise<number> => {
      const row = await others(noun, keyId).count<{ count: string }[]>('* as count').first();
      return Number(row?.count ?? 0);
    },
    ...bound(database, { sampleKeys }),
    /** Replaces the ciphertext that was read. False: another one is stored by now. */
    replace: async ({ noun, projectId, id, text }: SealedSecret, sealed: SealedCredentials): Promise<boolean> => {
      const { table, column } = stored[noun];
      const own = database(table).where({ project_id: projectId, id, [column]: text });
      return (await own.update(sealedColumns(noun, sealed))) > 0;
    },
  };
}

interface SampleRow {
  readonly key_id: string;
  readonly count: string;
  readonly project_id: string;
  readonly id: string;
  readonly text: string;
}

/** Each key that sealed anything, with at most `perKey` of its ciphertexts, the first of their projects. Reads the key id of every row: for starts, not for requests. */
async function sampleKeys(database: Knex, noun: SecretNoun, perKey: number): Promise<SealedByKey[]> {
  const { table, column } = stored[noun];
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
