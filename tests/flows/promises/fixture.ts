import { setTimeout as sleep } from 'node:timers/promises';
import type { SluiceClient } from '@sluice/client';
import { type Account, createAccount, type ProviderName } from '../../harness/account';
import { ask, type Reply } from '../../harness/api';
import { createProject, integrationNamed } from '../../harness/project';
import type { Stack } from '../../harness/stack';
import { objects, type WrittenObject } from './objects';

/** An account at an imitated provider, connected and installed: what a scenario has for itself. */
export interface Customer {
  readonly account: Account;
  readonly client: SluiceClient;
  /** `POST` to the write or the search address, once: no client repeats it. */
  write<T>(objectName: string, body: object): Promise<Reply<T>>;
  search<T>(objectName: string, filters: Readonly<Record<string, unknown>>): Promise<Reply<T>>;
}

export interface Fixture {
  customer(object: WrittenObject): Promise<Customer>;
  /** Makes what must be there before a scenario, a few at a time and again where a busy machine refuses it: nothing of it is what is tested. */
  prepared<T>(make: () => Promise<T>): Promise<T>;
}

/** Preparations at once: two cores make them all. */
const atOnce = 12;
const tries = 6;

/** One project with an integration per provider; customers of it are cheap. */
export async function createFixture(stack: Stack): Promise<Fixture> {
  const project = await createProject(stack);
  const namesOf = (provider: string) => [
    ...new Set(objects.flatMap((object) => (object.provider === provider ? object.objectName : []))),
  ];
  const providers = [...new Set(objects.map(({ provider }) => provider))];
  const integrations = providers.map((provider) => {
    const named = { objects: namesOf(provider).map((objectName) => ({ objectName })) };
    return { name: provider, provider, read: named, write: named };
  });
  const deployed = await project.deploy(integrations);
  let made = 0;
  const slots = Array.from({ length: atOnce }, (): Promise<unknown> => Promise.resolve());
  let next = 0;
  return {
    prepared(make) {
      const slot = (next += 1) % atOnce;
      const prepared = (slots[slot] ?? Promise.resolve()).then(() => persistently(make));
      slots[slot] = prepared.catch(() => undefined);
      return prepared;
    },
    async customer({ provider, file, objectName }) {
      const groupRef = `group-${(made += 1)}`;
      // What a file's provider is sent is searched at once; the lag of the others is far below the real one, as the windows are.
      const settings = file ? { searchLagMs: 0, limits: { perTenSeconds: 0 } } : { searchLagMs: 200 };
      const account = await createAccount(stack, provider as ProviderName, settings);
      const { token, workspaceRef } = account;
      const key = file?.auth.apiKey ? { apiKey: token } : { oauth2AuthorizationCode: { accessToken: { token } } };
      const isNamed = provider !== 'hubspot' && { providerWorkspaceRef: workspaceRef };
      const connection = await project.connect(account, groupRef, { ...key, ...isNamed });
      const { id } = integrationNamed(deployed, { name: provider });
      const deletable = { write: { objects: { [objectName]: { objectName, deletionSettings: { enabled: true } } } } };
      const config = { content: { provider, ...(!file && deletable) } };
      const installed = await project.install(id, { groupRef, connectionId: connection.id, config });
      if (installed.status !== 201) throw new Error(`not installed: ${JSON.stringify(installed.body)}`);
      const path = `projects/${project.id}/integrations/${id}`;
      return {
        account,
        client: project.client,
        write: (name, body) =>
          ask(`${stack.writeUrl}/${path}/objects/${name}`, { key: project.key, body: { groupRef, ...body } }),
        search: (name, filters) => {
          const fieldFilters = Object.entries(filters).map(([fieldName, value]) => ({
            fieldName,
            operator: 'eq',
            value,
          }));
          const url = `${stack.searchUrl}/${path}?groupRef=${groupRef}`;
          return ask(url, { key: project.key, body: { objectName: name, fieldFilters } });
        },
      };
    },
  };
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
