import type { ManifestIntegration } from './manifest';

/**
 * The integration as replies carry it: read objects always have `destination` and `schedule`, empty when absent,
 * because published clients refuse a reply without them. Source: reference/api-surface K7.
 */
export function publishManifestIntegration(integration: ManifestIntegration): ManifestIntegration {
  const objects = integration.read?.objects;
  if (!objects) return integration;
  const published = objects.map((object) => ({ destination: '', schedule: '', ...object }));
  return { ...integration, read: { ...integration.read, objects: published } };
}
