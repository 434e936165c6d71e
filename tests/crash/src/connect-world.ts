import { databaseAccess } from '@sluice/config';
import { createCustomer, type Customer } from '../../harness/customer';
import { createProject, type Project } from '../../harness/project';
import type { Addresses } from '../../harness/addresses';
import type { Measured } from '../../faults/harness/measured';
import { objectOf } from '../../faults/harness/send-write';
import type { CrashTestSettings } from './settings';

/** An account's own limits are not what is tested here. */
const endless = { perDay: 0, perTenSeconds: 100_000, searchesPerSecond: 0 };
/** What a provider call takes, as in the fault rows. */
const latencyMs = 15;

/** Connects two customers of a new project over the API, to accounts of their own at the sandbox. */
export async function connectWorld(settings: CrashTestSettings): Promise<Measured> {
  const { managementUrl, searchUrl, writeGatewayUrl, sandboxUrl, adminKey } = settings;
  const { url: databaseUrl, tls: databaseTls } = databaseAccess(settings);
  const writeUrl = `${writeGatewayUrl}/v1`;
  const stack: Addresses = {
    // Sets the names of this run apart from those of an earlier one.
    portBase: Date.now(),
    adminKey,
    baseUrl: `${managementUrl}/v1`,
    searchUrl: `${searchUrl}/v1`,
    writeUrl,
    sandboxUrl,
  };
  const project = await createProject(stack);
  const customers = [await connect(stack, project, 'hubspot'), await connect(stack, project, 'salesforce')] as const;
  return {
    stack,
    customers,
    // A Service stands before the gateways.
    writeUrls: [writeUrl, writeUrl],
    // Images run in production, where time is never scaled.
    timeScale: 1,
    serviceUrl: () => databaseUrl,
    databaseTls,
    // The logs of other pods are not here.
    openFolders: [],
    secrets: [adminKey, ...customers.flatMap(({ account }) => [project.key, account.token, account.refreshToken])],
  };
}

function connect(stack: Addresses, project: Project, provider: 'hubspot' | 'salesforce'): Promise<Customer> {
  const objects = [objectOf(provider)];
  const accountOptions = { latencyMs, limits: endless };
  return createCustomer(stack, { provider, project, accountOptions, read: objects, write: objects });
}
