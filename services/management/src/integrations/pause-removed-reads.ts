import { authorOf, withObject, type Caller, type ConfigContent, type ManifestIntegration } from '@sluice/types';
import type { ManagementContext } from '../context';

/** An integration as it stands, and the manifest that is about to be deployed for it. */
export interface ReadRemoval {
  readonly projectId: string;
  readonly integrationId: string;
  readonly before: ManifestIntegration;
  readonly after: ManifestIntegration;
  readonly caller: Caller;
}

/**
 * Disables, in every installation of an integration, the read objects that its latest revision has and the new manifest
 * lacks. Only objects that the installation configures: the others have no switch. An installation at a time, so that
 * no two configs are in memory at once. Run before the manifest is in force: a request that fails halfway and is sent
 * again then still finds the difference.
 */
export async function pauseRemovedReads(context: ManagementContext, removal: ReadRemoval): Promise<void> {
  const { projectId, integrationId, before, after, caller } = removal;
  const kept = new Set(readNames(after));
  const removed = readNames(before).filter((name) => !kept.has(name));
  if (removed.length === 0) return;
  const { installations } = context.store;
  for (const installationId of await installations.idsReading(projectId, integrationId, removed)) {
    const changed = await installations.change({ projectId, integrationId, installationId }, (current) => ({
      connectionId: current.connectionId,
      content: removed.reduce(disabled, current.content),
      createdBy: authorOf(caller),
      isCreatedByAsked: false,
    }));
    if (changed === undefined) continue;
    context.logger.info({ projectId, installationId, configId: changed.config.id }, 'installation.updated');
  }
}

function readNames({ read }: ManifestIntegration): string[] {
  return (read?.objects ?? []).map(({ objectName }) => objectName);
}

function disabled(content: ConfigContent, objectName: string): ConfigContent {
  const { objects = {} } = content.read ?? {};
  if (!Object.hasOwn(objects, objectName)) return content;
  return withObject(content, { action: 'read', objectName }, { ...objects[objectName], disabled: true });
}
