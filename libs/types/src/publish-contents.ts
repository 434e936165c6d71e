import type { ConfigContent } from './config-content';
import type { Installation } from './installation';
import type { ReadObjectConfig } from './read-config';
import type { Integration } from './integration';
import type { ManifestIntegration } from './manifest';

/**
 * A config's content as replies carry it. `read` and `subscribe` without `objects` crash published clients, and a read object
 * without its two selections is refused by them, so both are there, empty. Source: reference/api-surface J, K8, M.
 */
export function publishConfigContent(content: ConfigContent): ConfigContent {
  const { read, subscribe } = content;
  return {
    ...content,
    ...(read === undefined ? {} : { read: { ...read, objects: publishReadObjects(read.objects) } }),
    ...(subscribe === undefined ? {} : { subscribe: { ...subscribe, objects: subscribe.objects ?? {} } }),
  };
}

/** An installation as replies carry it. */
export function publishInstallation(installation: Installation): Installation {
  const { config } = installation;
  return { ...installation, config: { ...config, content: publishConfigContent(config.content) } };
}

function publishReadObjects(objects: Readonly<Record<string, ReadObjectConfig>> = {}) {
  return Object.fromEntries(
    Object.entries(objects).map(([name, object]) => [
      name,
      {
        ...object,
        selectedFields: object.selectedFields ?? {},
        selectedFieldMappings: object.selectedFieldMappings ?? {},
      },
    ]),
  );
}

/**
 * The integration as replies carry it. Read objects always have `destination` and `schedule`, empty when absent: published clients refuse a reply
 * without them. `read` without `objects` crashes those clients. Source: reference/api-surface K7, M.
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
