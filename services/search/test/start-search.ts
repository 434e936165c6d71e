import { randomBytes } from 'node:crypto';
import { createInMemoryRedis } from '@sluice/redis';
import { createStore } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import {
  cloneDatabase,
  countRows,
  keepsContract,
  patientLimits,
  seedInstallation,
  type SeededInstallation,
  type SeedOptions,
} from '@sluice/testkit';
import type { Scope } from '@sluice/types';
import supertest from 'supertest';
import { createContext, createSearchService, searchEnv, type SearchContext } from '../src/service';
import { startHubspot, type HubspotOfTest } from './fake-hubspot';

/** The access token of every seeded connection: must never be seen in a reply. */
export const canary = 'canary-token-77c0';

/** A seeded installation with a key that may search it. */
export interface Seed extends SeededInstallation {
  readonly key: string;
  readonly path: string;
}

/** A search service on a database of its own, beside a fake HubSpot. */
export interface RunningSearch {
  readonly context: SearchContext;
  readonly hubspot: HubspotOfTest;
  seed(options?: SeedOptions, scopes?: readonly Scope[]): Promise<Seed>;
  newKey(projectId: string, scopes: readonly Scope[]): Promise<string>;
  post(path: string): supertest.Test;
  countRows(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/**
 * @param reach puts something between the service and its database
 * @param env settings besides those that every test has
 */
export async function startSearch(
  reach?: (databaseUrl: string) => Promise<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningSearch> {
  const [clone, hubspot] = await Promise.all([cloneDatabase(), startHubspot()]);
  const config = searchEnv.read({
    DATABASE_URL: (await reach?.(clone.url)) ?? clone.url,
    REDIS_URL: 'redis://127.0.0.1:9',
    SLUICE_PORT: '0',
    SLUICE_METRICS_PORT: '0',
    // The tests' own connections stay idle.
    SLUICE_IDLE_GRACE_MS: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    HUBSPOT_API_URL: hubspot.url,
    // A provider that says nothing is waited for as long; one that answers is never that slow.
    SLUICE_CALL_TIMEOUT_MS: '3000',
    ...env,
  });
  // Where a test puts something before its database, that one will be away, and the usual limits are what it is about.
  const store = () => createStore({ url: clone.url, applicationName: 'test', limits: patientLimits });
  const overrides = { logger: silentLogger, redis: createInMemoryRedis(), ...(!reach && { store: store() }) };
  const context = createContext(config, overrides);
  const service = createSearchService(context);
  const { port } = await service.start();
  const check = keepsContract(service.contract.document);
  const newKey = async (projectId: string, scopes: readonly Scope[]): Promise<string> => {
    const secret = `sk_${randomBytes(32).toString('base64url')}`;
    await context.store.apiKeys.create({ projectId, label: 'test', scopes, secret });
    return secret;
  };
  return {
    context,
    hubspot,
    newKey,
    seed: async (options = {}, scopes = ['search']) => {
      const seal = (id: string) => context.installations.seal({ noun: 'connection', id }, { accessToken: canary });
      const seeded = await seedInstallation(context.store, { seal, ...options });
      const path = `/v1/projects/${seeded.projectName}/integrations/${seeded.integrationId}?groupRef=${seeded.groupRef}`;
      return { ...seeded, key: await newKey(seeded.projectId, scopes), path };
    },
    post: (path) => supertest(`http://127.0.0.1:${port}`).post(path).expect(check),
    countRows: () => countRows(clone.url),
    stop: async () => {
      await service.stop();
      await hubspot.close();
      await clone.drop();
    },
  };
}
