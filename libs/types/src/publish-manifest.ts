import type { Integration } from './integration';
import type { ManifestIntegration } from './manifest';

/**
 * The integration as replies carry it: read objects always have `destination` and `schedule`, empty when absent,
 * because published clients refuse a reply without them, and `read` without `objects` crashes them.
 * Source: reference/api-surface K7, M.
 */
export function publishManifestIntegration(integration: ManifestIntegration): ManifestIntegration {
  if (!integration.read) return integration;
  const { objects = [] } = integration.read;
  const published = objects.map((object) => ({ destination: '', schedule: '', ...object }));
  return { ...integration, read: { ...integration.read, objects: published } };
}

/** An integration of a project as replies carry it. */
export function publishIntegration(integration: Integration): Integration {
  const { latestRevision } = integration;
  const content = publishManifestIntegration(latestRevision.content);
  return { ...integration, latestRevision: { ...latestRevision, content } };
}
