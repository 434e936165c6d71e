import type { BoundedPage, Page, ProviderApp, ProviderAppMetadata } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { boundedPage, bytesOf } from '../page';
import { sealedColumns, type SealedCredentials } from '../sealed-secrets';
import { json, optional, plain, table, times, type StoredRow } from '../table';

/** A provider app as it is shown. Never holds the sealed secret. */
export const providerApps = table({
  id: plain('id'),
  projectId: plain('project_id'),
  provider: plain('provider'),
  clientId: plain('client_id'),
  externalRef: optional(plain('external_ref')),
  scopes: optional(plain<readonly string[]>('scopes')),
  metadata: optional(json<ProviderAppMetadata>('metadata')),
  ...times,
});

export interface NewProviderApp extends Omit<ProviderApp, 'id' | 'createTime' | 'updateTime'> {
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
const clients = table({
  id: plain('id'),
  clientId: plain('client_id'),
  /** Ciphertext, bound to the app's id. */
  sealed: optional(plain('sealed_client_secret')),
});

export type ClientOfApp = Required<ReturnType<typeof clients.read>>;

/** Invariant: the secret enters and leaves this store as ciphertext only, and never as part of the resource. */
export function providerAppStore(database: Knex) {
  const rows = (where: Record<string, string>) => database('provider_apps').where(where);
  const one = (projectId: string, appId: string) => rows({ project_id: projectId, id: appId });
  return {
    create: async ({ seal, ...app }: NewProviderApp): Promise<ProviderApp> => {
      const id = newId();
      const row = { ...providerApps.write({ ...app, id }), ...sealedColumns('provider app', seal(id)) };
      return providerApps.first(
        await database('provider_apps').insert(row).returning(providerApps.columns),
      ) as ProviderApp;
    },
    /** Oldest first. */
    listPage: (projectId: string, page: Page): Promise<BoundedPage<ProviderApp>> => {
      const ofProject = () => rows({ project_id: projectId }).orderBy('id');
      const sizes = ofProject().select('id', bytesOf(database, 'metadata', `array_to_string(scopes, '')`));
      if (page.after !== undefined) void sizes.where('id', '>', page.after);
      return boundedPage(sizes, page, async (ids) =>
        (await ofProject().whereIn('id', ids).select<StoredRow[]>(providerApps.columns)).map(providerApps.read),
      );
    },
    find: async (projectId: string, appId: string): Promise<ProviderApp | undefined> =>
      providerApps.first(await one(projectId, appId).select<StoredRow[]>(providerApps.columns)),
    findNewest: async (projectId: string, provider: string): Promise<ProviderApp | undefined> => {
      const newest = rows({ project_id: projectId, provider }).orderBy('id', 'desc').limit(1);
      return providerApps.first(await newest.select<StoredRow[]>(providerApps.columns));
    },
    /** Undefined when there is none. */
    update: async (projectId: string, appId: string, change: ProviderAppChange): Promise<ProviderApp | undefined> => {
      const { sealed, ...values } = change;
      const columns = { ...providerApps.write(values), ...(sealed && sealedColumns('provider app', sealed)) };
      const changed = one(projectId, appId).update({ ...columns, updated_at: database.fn.now() });
      return providerApps.first(await changed.returning(providerApps.columns));
    },
    /** False when there was none. */
    remove: async (projectId: string, appId: string): Promise<boolean> => (await one(projectId, appId).delete()) > 0,
    /** The named app, else the project's newest one of the provider. Undefined when there is none. */
    findClient: async (projectId: string, provider: string, appId?: string): Promise<ClientOfApp | undefined> => {
      const named = rows({ project_id: projectId, provider, ...(appId === undefined ? {} : { id: appId }) });
      const client = clients.first(await named.orderBy('id', 'desc').limit(1).select<StoredRow[]>(clients.columns));
      return client && { ...client, sealed: client.sealed ?? '' };
    },
  };
}
