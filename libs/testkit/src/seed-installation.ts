import { randomUUID } from 'node:crypto';
import type { SealedCredentials, Store } from '@sluice/store';
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

export interface SeedOptions {
  /** @default a new project */
  readonly projectId?: string;
  readonly groupRef?: string;
  readonly manifest?: ManifestIntegration;
  readonly config?: ConfigContent;
  /** The provider account behind the connection. @default `424242` */
  readonly accountRef?: string;
  /** @default text that no key opens */
  readonly seal?: (connectionId: string) => SealedCredentials;
}

/** Ids of everything a write needs. */
export interface SeededInstallation {
  readonly projectId: string;
  readonly projectName: string;
  readonly integrationId: string;
  readonly revisionId: string;
  readonly groupRef: string;
  readonly connectionId: string;
  readonly installationId: string;
  readonly configId: string;
}

type SeedStore = Pick<Store, 'projects' | 'integrations' | 'connections' | 'installations'>;

/** A project with one integration, one connection and one installation, straight in the database. */
export async function seedInstallation(store: SeedStore, options: SeedOptions = {}): Promise<SeededInstallation> {
  const { groupRef = 'group-1', accountRef = '424242', manifest = sampleManifest() } = options;
  const project = await seedProject(store, options.projectId);
  const created = { projectId: project.id, name: manifest.name, provider: manifest.provider, specVersion: '1.0.0' };
  const integration = await store.integrations.create({ ...created, content: manifest });
  const connection = await store.connections.create({
    projectId: project.id,
    provider: manifest.provider,
    groupRef,
    consumerRef: 'user-1',
    authScheme: 'apiKey',
    reportedAccountRef: accountRef,
    workspaceRef: accountRef,
    seal: options.seal ?? (() => ({ text: 'unreadable', keyId: 'none' })),
  });
  const revisionId = integration.latestRevision.id;
  const installation = await store.installations.create({
    projectId: project.id,
    integrationId: integration.id,
    groupRef,
    connectionId: connection.id,
    createdBy: 'consumer:user-1',
    config: { revisionId, content: options.config ?? sampleConfig(), createdBy: 'builder:seed' },
  });
  return {
    projectId: project.id,
    projectName: project.name,
    integrationId: integration.id,
    revisionId,
    groupRef,
    connectionId: connection.id,
    installationId: installation.id,
    configId: installation.config.id,
  };
}

async function seedProject(store: SeedStore, projectId: string | undefined) {
  const found = projectId === undefined ? undefined : await store.projects.find(projectId);
  return found ?? (await store.projects.create({ name: `seed-${randomUUID()}x`, appName: 'Seed', orgId: 'org-1' }));
}
