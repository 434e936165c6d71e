import { setTimeout as sleep } from 'node:timers/promises';
import type { Declaration } from '@sluice/connectors';
import type { SluiceClient } from '@sluice/client';
import { createAccount, type Account, type ProviderName } from '../../harness/account';
import { ask, type Reply } from '../../harness/api';
import { createProject, integrationNamed } from '../../harness/project';
import type { Stack } from '../../harness/stack';
import { objectsOf } from './rows';

/** An account at an imitated provider, connected and installed: what the scenarios of one row and loss have for themselves. */
export interface Customer {
  readonly account: Account;
  readonly client: SluiceClient;
  /** `POST` to the write or the search address, once: no client repeats it. */
  write<T>(objectName: string, body: object): Promise<Reply<T>>;
  search<T>(objectName: string, filters: Readonly<Record<string, unknown>>): Promise<Reply<T>>;
}

/** One project with an integration per file; customers of it are cheap. */
export interface Ground {
  customer(file: Declaration): Promise<Customer>;
  /** Makes what must be there before a scenario, a few at a time and again where a busy machine refuses it: nothing of it is what is tested. */
  prepared<T>(make: () => Promise<T>): Promise<T>;
}

/** Preparations at once: two cores make them all. */
const atOnce = 12;
const tries = 6;

export async function openGround(stack: Stack, files: readonly Declaration[]): Promise<Ground> {
  const project = await createProject(stack);
  const integrations = files.map((file) => {
    const objects = [...new Set(objectsOf(file).map(({ objectName }) => objectName))].map((objectName) => ({
      objectName,
    }));
    return { name: file.name, provider: file.name, read: { objects }, write: { objects } };
  });
  const deployed = await project.deploy(integrations);
  let made = 0;
  const slots = Array.from({ length: atOnce }, () => Promise.resolve());
  let next = 0;
  return {
    prepared(make) {
      const slot = (next += 1) % atOnce;
      const prepared = (slots[slot] ?? Promise.resolve()).then(() => persistently(make));
      slots[slot] = prepared.then(
        () => undefined,
        () => undefined,
      );
      return prepared;
    },
    async customer(file) {
      const groupRef = `group-${(made += 1)}`;
      const provider = file.name as ProviderName;
      // What is written is searched at once; limits are for other tests.
      const settings = { searchLagMs: 0, limits: { perTenSeconds: 0 } };
      const account = await createAccount(stack, provider, settings);
      const connection = await project.connect(account, groupRef, credentialsOf(file, account));
      const { id } = integrationNamed(deployed, { name: file.name });
      const config = { content: { provider } };
      const installed = await project.install(id, { groupRef, connectionId: connection.id, config });
      if (installed.status !== 201) throw new Error(`not installed: ${JSON.stringify(installed.body)}`);
      const path = `projects/${project.id}/integrations/${id}`;
      return {
        account,
        client: project.client,
        write: (objectName, body) =>
          ask(`${stack.writeUrl}/${path}/objects/${objectName}`, { key: project.key, body: { groupRef, ...body } }),
        search: (objectName, filters) => {
          const fieldFilters = Object.entries(filters).map(([fieldName, value]) => ({
            fieldName,
            operator: 'eq',
            value,
          }));
          const url = `${stack.searchUrl}/${path}?groupRef=${groupRef}`;
          return ask(url, { key: project.key, body: { objectName, fieldFilters } });
        },
      };
    },
  };
}

/** With a key where the file takes one, else with a token. */
function credentialsOf({ auth }: Declaration, { token, workspaceRef }: Account): object {
  const credentials = auth.apiKey ? { apiKey: token } : { oauth2AuthorizationCode: { accessToken: { token } } };
  return { ...credentials, providerWorkspaceRef: workspaceRef };
}

async function persistently<T>(make: () => Promise<T>, left = tries): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (left <= 1) throw error;
    await sleep(1_000);
    return await persistently(make, left - 1);
  }
}
