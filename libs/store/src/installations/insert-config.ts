import { createHash } from 'node:crypto';
import type { ConfigContent } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';

export interface NewConfig {
  readonly projectId: string;
  readonly installationId: string;
  /** Latest revision of the integration. */
  readonly revisionId: string;
  readonly content: ConfigContent;
  /** `consumer:<consumerRef>`, `builder:<id>` or `api:<caller>`. */
  readonly createdBy: string;
}

/** A config row, which never changes; its content is stored once per project and hash. */
export async function insertConfig(
  transaction: Knex.Transaction,
  config: NewConfig,
): Promise<{ readonly id: string; readonly createdAt: Date }> {
  const { projectId, content } = config;
  const id = newId();
  const hash = await insertContent(transaction, projectId, content);
  const rows = await transaction('configs')
    .insert({
      project_id: projectId,
      id,
      installation_id: config.installationId,
      revision_id: config.revisionId,
      content_hash: hash,
      created_by: config.createdBy,
      // Not now(): a transaction that waited for the lock would be older than the one it waited for.
      created_at: transaction.raw('clock_timestamp()'),
    })
    .returning<{ created_at: Date }[]>('created_at');
  return { id, createdAt: (rows[0] as { created_at: Date }).created_at };
}

/** Key order counts: what was sent is what is returned. */
async function insertContent(
  transaction: Knex.Transaction,
  projectId: string,
  content: ConfigContent,
): Promise<string> {
  const text = JSON.stringify(content);
  const hash = createHash('sha256').update(text).digest('hex');
  await transaction('config_contents')
    .insert({ project_id: projectId, hash, content: text })
    .onConflict(['project_id', 'hash'])
    .ignore();
  return hash;
}
