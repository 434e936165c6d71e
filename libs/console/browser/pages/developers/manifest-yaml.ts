import type { ManifestIntegration } from '@sluice/types';

const specVersion = '1.0.0';

/** The manifest of these integrations as YAML. What replies add to a read object for published clients, two empty texts, is left out. */
export async function manifestYaml(integrations: readonly ManifestIntegration[]): Promise<string> {
  return await toYaml({ specVersion, integrations: integrations.map(withoutEmpty) });
}

/** One integration; empty where there is none. */
export async function integrationYaml(integration: ManifestIntegration | undefined): Promise<string> {
  return integration === undefined ? '' : await toYaml(withoutEmpty(integration));
}

async function toYaml(value: object): Promise<string> {
  // Loaded with the first text: the other pages have no use for it.
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}

function withoutEmpty(integration: ManifestIntegration): ManifestIntegration {
  const { read } = integration;
  if (read?.objects === undefined) return integration;
  const objects = read.objects.map(({ destination, schedule, ...object }) => ({
    ...object,
    ...(destination ? { destination } : {}),
    ...(schedule ? { schedule } : {}),
  }));
  // Added too, where a read names no object.
  return { ...integration, read: objects.length === 0 ? {} : { ...read, objects } };
}
