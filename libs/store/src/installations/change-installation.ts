import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { NotFoundError } from '@sluice/errors';
import type { ConfigContent } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { notifyInstallation } from '../webhooks/notify';
import { turnHealth } from '../health';

export interface InstallationKey {
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
}

/** What of an installation can change, as it is while its row is locked. */
export interface ChangeableInstallation {
  readonly groupRef: string;
  readonly connectionId: string;
  readonly configId: string;
  readonly content: ConfigContent;
}

/** The installation as it shall be. */
export interface ChangedInstallation {
  readonly connectionId: string;
  readonly content: ConfigContent;
  /** Of the config that this makes. */
  readonly createdBy: string;
  /** Whether another `createdBy` alone is a change that makes a config. */
  readonly isCreatedByAsked?: boolean;
}

/** Works on the locked state, so it must be quick; what it throws leaves everything as it was. */
export type ReviseInstallation = (current: ChangeableInstallation) => ChangedInstallation;

interface CurrentRow {
  connection_id: string;
  config_id: string;
  group_ref: string;
  latest_revision_id: string;
  content: string;
  created_by: string;
}

/**
 * Changes an installation under its row lock: of two changes at once the second works on what the first left. A content
 * that differs is a new config and moves `updateTime`; the same content in another key order is none.
 * False when there is no such installation.
 */
export async function changeInstallation(
  transaction: Knex.Transaction,
  key: InstallationKey,
  revise: ReviseInstallation,
): Promise<boolean> {
  const current = await lockCurrent(transaction, key);
  if (current === undefined) return false;
  const content = JSON.parse(current.content) as ConfigContent;
  const { connection_id: connectionId, config_id: configId, group_ref: groupRef } = current;
  const next = revise({ groupRef, connectionId, configId, content });
  const change = next.connectionId === connectionId ? {} : { connection_id: next.connectionId };
  if (next.connectionId !== connectionId)
    await holdRow(transaction, 'connection', { projectId: key.projectId, id: next.connectionId });
  const isOtherAuthor = next.isCreatedByAsked && next.createdBy !== current.created_by;
  if (isOtherAuthor || !isDeepStrictEqual(next.content, content)) {
    const config = await insertConfig(transaction, { ...key, ...next, revisionId: current.latest_revision_id });
    Object.assign(change, { config_id: config.id, updated_at: config.createdAt });
  }
  if (Object.keys(change).length === 0) return true;
  await transaction('installations').where(rowOf(key)).update(change);
  await notifyInstallation(transaction, 'installation.updated', key);
  if (next.connectionId !== connectionId)
    await turnHealth(transaction, [{ project_id: key.projectId, installation_id: key.installationId }], 'connection');
  return true;
}

/**
 * Lock first, then read. A single statement that waited for the lock would join the new installation row with the old config rows of its snapshot and
 * find nothing.
 */
async function lockCurrent(transaction: Knex.Transaction, key: InstallationKey): Promise<CurrentRow | undefined> {
  const locked = await transaction('installations').where(rowOf(key)).forNoKeyUpdate().select('id');
  if (locked.length === 0) return undefined;
  return await transaction('installations as i')
    .join('integrations as n', { 'n.project_id': 'i.project_id', 'n.id': 'i.integration_id' })
    .join('configs as c', { 'c.project_id': 'i.project_id', 'c.id': 'i.config_id' })
    .join('config_contents as t', { 't.project_id': 'c.project_id', 't.hash': 'c.content_hash' })
    .where({ 'i.project_id': key.projectId, 'i.id': key.installationId })
    .first<CurrentRow>(
      'i.connection_id',
      'i.config_id',
      'i.group_ref',
      'n.latest_revision_id',
      't.content',
      'c.created_by',
    );
}

function rowOf(key: InstallationKey) {
  return { project_id: key.projectId, id: key.installationId, integration_id: key.integrationId };
}

/**
 * Locks a connection or an integration against deletion until this transaction ends, so that no installation names one that was
 * deleted meanwhile. Taken after the installation's row, as a deletion does.
 * @throws NotFoundError `connection.not-found` or `integration.not-found` when it is gone
 */
export async function holdRow(
  transaction: Knex.Transaction,
  noun: 'connection' | 'integration',
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<void> {
  const rows = await transaction(`${noun}s`).where({ project_id: projectId, id }).forKeyShare().select('id');
  if (rows.length > 0) return;
  const detail = `${noun}Id: there is no such ${noun} in this project.`;
  throw new NotFoundError({ code: `${noun}.not-found`, detail });
}

interface NewConfig {
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
  // Key order counts: what was sent is what is returned.
  const text = JSON.stringify(content);
  const hash = createHash('sha256').update(text).digest('hex');
  const stored = transaction('config_contents').insert({ project_id: projectId, hash, content: text });
  await stored.onConflict(['project_id', 'hash']).ignore();
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
