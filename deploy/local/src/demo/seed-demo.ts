import { readFileSync } from 'node:fs';
import { createSluiceClient, type SluiceClient } from '@sluice/client';
import { readJson, unavailable, writePrivateFile } from '@sluice/stack';
import type { ConfigContent, Integration, Project } from '@sluice/types';
import { fingerprintOf, type LocalSecrets } from '../local-secrets';
import type { Addresses } from '../service-ports';
import { openSandboxAccounts, type SandboxAccount } from '../sandbox-client';
import { crmWords, type Demo, type DemoCustomer, demoCustomer, type DemoIntegration } from './demo';
import { demoFileOf, manifestFile } from './demo';

export interface SeedOptions {
  readonly folder: string;
  readonly addresses: Addresses;
  readonly secrets: LocalSecrets;
  /** Of the project. */
  readonly name: string;
  /** One for each integration to install. */
  readonly customers: readonly DemoCustomer[];
  readonly withSandbox: boolean;
  /** File to deploy. @default the one of the checkout */
  readonly manifest?: string;
}

/**
 * Makes what the demo needs, over the HTTP API alone, and writes demo.json. What is there already is taken as it is, so
 * a second start changes nothing.
 * @throws SluiceApiError that shows which call was refused, and why
 */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { folder, addresses, secrets, customers } = options;
  const { baseUrl, searchUrl, writeUrl, sandboxUrl } = addresses;
  const project = await ensureProject(createSluiceClient({ baseUrl, apiKey: secrets.adminKey }), options);
  const apiKey = await ensureApiKey(options, project.id);
  const client = createSluiceClient({ baseUrl, apiKey, projectIdOrName: project.id });
  const sourceYaml = readFileSync(options.manifest ?? manifestFile, 'utf8');
  const deployed = await client.management.deployManifest({ body: { sourceYaml } });
  const integrations: DemoIntegration[] = [];
  for (const customer of customers) {
    const integration = integrationFor(deployed, customer.provider);
    const content = options.withSandbox ? demoConfig(customer.provider) : { provider: customer.provider };
    integrations.push(await connectCustomer(client, integration, { ...customer, content }));
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
  // It holds keys.
  writePrivateFile(demoFileOf(folder), demo);
  return demo;
}

/** The demo whose customers' CRMs are accounts of the sandbox. @param options.manifest as of `seedDemo` */
export async function seedSandboxDemo(options: Pick<SeedOptions, 'folder' | 'addresses' | 'secrets' | 'manifest'>) {
  const accounts = await openSandboxAccounts(options.addresses.sandboxUrl);
  const customers = accounts.map(demoCustomer);
  const demo = await seedDemo({ ...options, name: 'demo', customers, withSandbox: true });
  await ensureProviderApps(demo, accounts);
  return { accounts, demo };
}

/** The OAuth apps of the imitated CRMs, so that a customer can be connected with a link. One that was registered stays, as do those of others. */
async function ensureProviderApps({ baseUrl, apiKey, project }: Demo, accounts: readonly SandboxAccount[]) {
  const { management } = createSluiceClient({ baseUrl, apiKey, projectIdOrName: project.id });
  const apps = await management.listProviderApps();
  for (const { provider, clientId, clientSecret } of accounts) {
    if (apps.some((app) => app.provider === provider && app.clientId === clientId)) continue;
    await management.createProviderApp({ body: { provider, clientId, clientSecret } });
  }
}

/** A database may hold a project of this name whose credentials were sealed with other keys: that one is left alone. */
async function ensureProject({ management }: SluiceClient, { name, secrets }: SeedOptions): Promise<Project> {
  const orgId = `local-${fingerprintOf(secrets)}`;
  const otherName = `${name}-${fingerprintOf(secrets)}`;
  const projects = await management.listProjects();
  const named = (wanted: string) => projects.find((project) => project.name === wanted);
  const ours = [named(name), named(otherName)].find((project) => project?.orgId === orgId);
  if (ours !== undefined) return ours;
  const free = named(name) === undefined ? name : otherName;
  return management.createProject({ body: { name: free, appName: `Sluice ${name}`, orgId } });
}

/** A key is shown only once, so the one in demo.json is used for as long as it works. */
async function ensureApiKey({ folder, addresses, secrets }: SeedOptions, projectId: string): Promise<string> {
  const known = (readJson(demoFileOf(folder)) as Demo | undefined)?.apiKey;
  const { baseUrl } = addresses;
  const keyed = (apiKey: string) => createSluiceClient({ baseUrl, apiKey, projectIdOrName: projectId });
  if (known !== undefined && (await keyed(known).raw.management.getProject()).status === 200) return known;
  const body = { label: 'local demo', scopes: ['full'] } as const;
  const { key } = await keyed(secrets.adminKey).management.createApiKey({ body });
  return key;
}

/** Deploying a manifest that changes nothing makes no revision. */
function integrationFor(deployed: readonly Integration[], provider: string): Integration {
  const integration = deployed.find((one) => one.provider === provider);
  if (integration !== undefined) return integration;
  throw unavailable(`${manifestFile} declares no integration for ${provider}.`);
}

/** Connects a group's CRM and installs the integration for it, as a builder's backend would. Repeatable. @param client of the project */
export async function connectCustomer(
  client: SluiceClient,
  { id, name, provider }: Pick<Integration, 'id' | 'name' | 'provider'>,
  customer: DemoCustomer & { readonly content: ConfigContent },
): Promise<DemoIntegration> {
  const { groupRef, consumerRef, token, workspaceRef, content } = customer;
  const installation = await client.ensureInstallation({
    integrationId: id,
    groupRef,
    connection: {
      consumerRef,
      oauth2AuthorizationCode: { accessToken: { token } },
      ...(workspaceRef === undefined ? {} : { providerWorkspaceRef: workspaceRef }),
    },
    content,
  });
  return {
    provider,
    id,
    name,
    groupRef,
    installationId: installation.id,
    connectionId: installation.connection.id,
  };
}

/**
 * What a customer of the demo chose: the field behind the builder's `position`, a default for new people, and that a phone
 * number in the CRM is never overwritten. Deletion stays off.
 */
export function demoConfig(provider: string): ConfigContent {
  const chosen = Object.entries(crmWords).find(([name]) => name === provider)?.[1];
  if (chosen === undefined) return { provider };
  const { people: objectName, title, phone, defaulted } = chosen;
  const selectedFieldSettings = {
    [defaulted.field]: { default: { stringValue: defaulted.value }, writeOnUpdate: 'never' },
    [phone]: { writeOnUpdate: 'ifEmpty' },
  } as const;
  return {
    provider,
    read: { objects: { [objectName]: { objectName, selectedFieldMappings: { position: title } } } },
    write: { objects: { [objectName]: { objectName, selectedFieldSettings } } },
  };
}
