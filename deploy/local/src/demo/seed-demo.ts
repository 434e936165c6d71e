import { readFileSync } from 'node:fs';
import { DependencyError } from '@sluice/errors';
import type { Integration, Project } from '@sluice/types';
import { createManagementClient, type ManagementClient } from '../clients/management-client';
import { fingerprintOf, type LocalSecrets } from '../local-secrets';
import type { Addresses } from '../service-ports';
import { connectCustomer } from './connect-customer';
import { demoConfig } from './demo-config';
import { readDemoFile, writeDemoFile, type Demo, type DemoIntegration } from './demo-file';
import { manifestFile, type DemoCustomer } from './demo-settings';

export interface SeedOptions {
  readonly folder: string;
  readonly addresses: Addresses;
  readonly secrets: LocalSecrets;
  /** Of the project. */
  readonly name: string;
  /** One for each integration to install. */
  readonly customers: readonly DemoCustomer[];
  readonly withSandbox: boolean;
}

/**
 * Makes what the demo needs, over the HTTP API alone, and writes demo.json. What is there already is taken as it is, so
 * a second start changes nothing.
 * @throws DependencyError that shows which call was refused, and why
 */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { folder, addresses, secrets, customers } = options;
  const { baseUrl, searchUrl, writeUrl, sandboxUrl } = addresses;
  const project = await ensureProject(createManagementClient(baseUrl, secrets.adminKey), options);
  const apiKey = await ensureApiKey(options, project.id);
  const management = createManagementClient(baseUrl, apiKey);
  const deployed = await management.deployManifest(project.id, readFileSync(manifestFile, 'utf8'));
  const integrations: DemoIntegration[] = [];
  for (const customer of customers) {
    const integration = integrationFor(deployed, customer.provider);
    const content = options.withSandbox ? demoConfig(customer.provider) : { provider: customer.provider };
    integrations.push(await connectCustomer(management, project.id, integration, { ...customer, content }));
  }
  const demo: Demo = {
    baseUrl,
    searchUrl,
    writeUrl,
    ...(options.withSandbox ? { sandboxUrl } : {}),
    adminKey: secrets.adminKey,
    project: { id: project.id, name: project.name },
    apiKey,
    integrations,
  };
  writeDemoFile(folder, demo);
  return demo;
}

/** A database may hold a project of this name whose credentials were sealed with other keys: that one is left alone. */
async function ensureProject(management: ManagementClient, { name, secrets }: SeedOptions): Promise<Project> {
  const orgId = `local-${fingerprintOf(secrets)}`;
  const projects = await management.listProjects();
  const ours = projects.find((project) => project.orgId === orgId && project.appName === appNameOf(name));
  if (ours !== undefined) return ours;
  const isTaken = projects.some((project) => project.name === name);
  const free = isTaken ? `${name}-${fingerprintOf(secrets)}` : name;
  return management.createProject({ name: free, appName: appNameOf(name), orgId });
}

function appNameOf(name: string): string {
  return `Sluice ${name}`;
}

/** A key is shown only once, so the one in demo.json is used for as long as it works. */
async function ensureApiKey({ folder, addresses, secrets }: SeedOptions, projectId: string): Promise<string> {
  const known = readDemoFile(folder)?.apiKey;
  const { baseUrl } = addresses;
  if (known !== undefined && (await createManagementClient(baseUrl, known).opensProject(projectId))) return known;
  const admin = createManagementClient(baseUrl, secrets.adminKey);
  const { key } = await admin.createApiKey(projectId, { label: 'local demo', scopes: ['full'] });
  return key;
}

/** Deploying a manifest that changes nothing makes no revision. */
function integrationFor(deployed: readonly Integration[], provider: string): Integration {
  const integration = deployed.find((one) => one.provider === provider);
  if (integration !== undefined) return integration;
  const detail = `${manifestFile} declares no integration for ${provider}.`;
  throw new DependencyError({ code: 'service.unavailable', detail });
}
