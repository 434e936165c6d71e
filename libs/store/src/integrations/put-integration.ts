import { ConflictError } from '@sluice/errors';
import type { ManifestIntegration } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';

export interface NewIntegration {
  readonly projectId: string;
  /** Unique in the project. */
  readonly name: string;
  readonly provider: string;
  readonly specVersion: string;
  readonly content: ManifestIntegration;
}

interface CurrentRow {
  id: string;
  provider: string;
  spec_version: string;
  content: string;
}

/** Inserts the integration with its first revision. Undefined when the name is taken. */
export async function insertIntegration(
  transaction: Knex.Transaction,
  integration: NewIntegration,
): Promise<string | undefined> {
  const { projectId, name, provider } = integration;
  const ids = { id: newId(), latest_revision_id: newId() };
  const rows = await transaction('integrations')
    .insert({ project_id: projectId, name, provider, ...ids })
    .onConflict(['project_id', 'name'])
    .ignore()
    .returning<{ id: string }[]>('id');
  if (rows.length === 0) return undefined;
  await insertRevision(transaction, integration, { integrationId: ids.id, revisionId: ids.latest_revision_id });
  return ids.id;
}

/** Inserts the integration, or gives the one of this name a new revision when its content differs. Returns its id. */
export async function putIntegration(transaction: Knex.Transaction, integration: NewIntegration): Promise<string> {
  const insertedId = await insertIntegration(transaction, integration);
  if (insertedId !== undefined) return insertedId;
  const current = await lockCurrent(transaction, integration);
  // It was deleted between the two statements, so the name is free.
  if (current === undefined) return await putIntegration(transaction, integration);
  if (current.provider !== integration.provider) throw providerFixed(integration, current.provider);
  const isSame = current.content === JSON.stringify(integration.content);
  if (isSame && current.spec_version === integration.specVersion) return current.id;
  const revisionId = newId();
  await insertRevision(transaction, integration, { integrationId: current.id, revisionId });
  await transaction('integrations')
    .where({ project_id: integration.projectId, id: current.id })
    .update({ latest_revision_id: revisionId, updated_at: transaction.fn.now() });
  return current.id;
}

async function lockCurrent(
  transaction: Knex.Transaction,
  integration: NewIntegration,
): Promise<CurrentRow | undefined> {
  return await transaction('integrations as i')
    .join('revisions as r', { 'r.project_id': 'i.project_id', 'r.id': 'i.latest_revision_id' })
    .where({ 'i.project_id': integration.projectId, 'i.name': integration.name })
    .select<CurrentRow[]>('i.id', 'i.provider', 'r.spec_version', 'r.content')
    .forUpdate('i')
    .first();
}

async function insertRevision(
  transaction: Knex.Transaction,
  integration: NewIntegration,
  ids: { readonly integrationId: string; readonly revisionId: string },
): Promise<void> {
  await transaction('revisions').insert({
    project_id: integration.projectId,
    id: ids.revisionId,
    integration_id: ids.integrationId,
    spec_version: integration.specVersion,
    content: JSON.stringify(integration.content),
  });
}

function providerFixed(integration: NewIntegration, provider: string): ConflictError {
  return new ConflictError({
    code: 'integration.name-taken',
    detail: `provider: the integration "${integration.name}" is for ${provider} and cannot change to ${integration.provider}.`,
    remedy: 'Give the integration for the other provider a name of its own.',
  });
}
