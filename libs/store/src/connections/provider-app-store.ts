import type { Page, ProviderApp, ProviderAppMetadata } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import type { SealedCredentials } from '../sealed-secrets';
import { onPage } from '../page';
import { providerAppColumns, toProviderApp, type ProviderAppRow } from './provider-app-row';
import { translated } from '../translate-errors';

export interface NewProviderApp {
  readonly projectId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly externalRef?: string;
  readonly scopes?: readonly string[];
  readonly metadata?: ProviderAppMetadata;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (appId: string) => SealedCredentials;
}

/** Members that are absent stay as they are; `null` clears. */
export interface ProviderAppChange {
  readonly provider?: string;
  readonly clientId?: string;
  readonly externalRef?: string | null;
  readonly scopes?: readonly string[] | null;
  readonly metadata?: ProviderAppMetadata | null;
  readonly sealed?: SealedCredentials;
}

/** What a token call needs of an app. */
export interface ClientOfApp {
  readonly id: string;
  readonly clientId: string;
  /** Ciphertext, bound to the app's id. */
  readonly sealed: string;
}

/** Invariant: the secret enters and leaves this store as ciphertext only, and never as part of the resource. */
export interface ProviderAppStore {
  create(app: NewProviderApp): Promise<ProviderApp>;
  /** Oldest first; with a page one more than fits. */
  list(projectId: string, page?: Page): Promise<ProviderApp[]>;
  find(projectId: string, appId: string): Promise<ProviderApp | undefined>;
  /** Undefined when there is none. */
  update(projectId: string, appId: string, change: ProviderAppChange): Promise<ProviderApp | undefined>;
  /** False when there was none. */
  remove(projectId: string, appId: string): Promise<boolean>;
  /** The named app, else the project's newest one of the provider. Undefined when there is none. */
  findClient(projectId: string, provider: string, appId: string | undefined): Promise<ClientOfApp | undefined>;
}

interface ClientRow {
  id: string;
  client_id: string;
  sealed_client_secret: string | null;
}

export function providerAppStore(database: Knex): ProviderAppStore {
  const table = () => database('provider_apps');
  return translated<ProviderAppStore>({
    create: async ({ projectId, seal, ...app }) => {
      const id = newId();
      const row = { project_id: projectId, id, ...toColumns({ ...app, sealed: seal(id) }) };
      const rows = await table()
        .insert(row)
        .returning<ProviderAppRow[]>([...providerAppColumns]);
      return toProviderApp(rows[0] as ProviderAppRow);
    },
    list: async (projectId, page) => {
      const query = table().where({ project_id: projectId }).orderBy('id').select<ProviderAppRow[]>(providerAppColumns);
      return (await onPage(query, 'id', page)).map(toProviderApp);
    },
    find: async (projectId, appId) => {
      const [row] = await table()
        .where({ project_id: projectId, id: appId })
        .select<ProviderAppRow[]>(providerAppColumns);
      return row && toProviderApp(row);
    },
    update: async (projectId, appId, change) => {
      const [row] = await table()
        .where({ project_id: projectId, id: appId })
        .update({ ...toColumns(change), updated_at: database.fn.now() })
        .returning<ProviderAppRow[]>([...providerAppColumns]);
      return row && toProviderApp(row);
    },
    remove: async (projectId, appId) => (await table().where({ project_id: projectId, id: appId }).delete()) > 0,
    findClient: async (projectId, provider, appId) => {
      const [row] = await table()
        .where({ project_id: projectId, provider, ...(appId === undefined ? {} : { id: appId }) })
        .orderBy('id', 'desc')
        .limit(1)
        .select<ClientRow[]>('id', 'client_id', 'sealed_client_secret');
      return row && { id: row.id, clientId: row.client_id, sealed: row.sealed_client_secret ?? '' };
    },
  });
}

/** Absent members are left out: knex writes no column that is undefined. */
function toColumns({ provider, clientId, externalRef, scopes, metadata, sealed }: ProviderAppChange) {
  return {
    provider,
    client_id: clientId,
    external_ref: externalRef,
    scopes: scopes && [...scopes],
    metadata: metadata && JSON.stringify(metadata),
    sealed_client_secret: sealed?.text,
    seal_key_id: sealed?.keyId,
  };
}
