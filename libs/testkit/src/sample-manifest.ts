import type { ConfigContent, ManifestIntegration } from '@sluice/types';

/** An integration for HubSpot contacts that reads and writes them. `overrides` replace whole members. */
export function sampleManifest(overrides: Partial<ManifestIntegration> = {}): ManifestIntegration {
  return {
    name: 'crm',
    provider: 'hubspot',
    read: { objects: [{ objectName: 'contacts' }] },
    write: { objects: [{ objectName: 'contacts' }] },
    ...overrides,
  };
}

/** A config content that changes nothing. `overrides` replace whole members. */
export function sampleConfig(overrides: Partial<ConfigContent> = {}): ConfigContent {
  return { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } }, ...overrides };
}
