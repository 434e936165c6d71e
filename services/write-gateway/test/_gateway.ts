import { randomBytes } from 'node:crypto';
import { createInProcessHub, createInProcessMessaging, topics, type Messaging } from '@sluice/messaging';
import { createInMemoryRedis } from '@sluice/redis';
import { createStore, openDatabase } from '@sluice/store';
import { createMetrics, silentLogger, type Logger } from '@sluice/telemetry';
import {
  cloneDatabase,
  countRows,
  keepsContract,
  seedInstallation,
  type SeededInstallation,
  type SeedOptions,
  patientLimits,
} from '@sluice/testkit';
import type { Scope, WriteAnnouncement } from '@sluice/types';
import supertest from 'supertest';
import { createContext, createGatewayService, gatewayEnv, type GatewayContext } from '../src/service';
import { startHubspot, type HubspotOfTest } from './_fake-hubspot';

/** The access token of every seeded connection: must never be seen in a reply, a row or a message. */
export const canary = 'canary-token-51f2';

/** A seeded installation with a key that may write to it. */
export interface Seed extends SeededInstallation {
  readonly key: string;
  /** Where its contacts are written. */
  readonly path: string;
}

/** One for all gateways of a test: what one sealed the other opens. */
const credentialsKey = randomBytes(32).toString('base64');

type Database = ReturnType<typeof openDatabase>;

/** A write gateway on a database of its own, beside a fake HubSpot and a listener on both topics. */
export interface RunningGateway {
  readonly context: GatewayContext;
  readonly hubspot: HubspotOfTest;
  /** What a second gateway shares. */
  readonly grounds: readonly [Awaited<ReturnType<typeof cloneDatabase>>, HubspotOfTest];
  /** Beside the store, for what a test must arrange or see in the tables. */
  readonly database: Database;
  /** What left on each topic, in order. */
  readonly announced: { readonly autoBatched: WriteAnnouncement[]; readonly ready: WriteAnnouncement[] };
  seed(options?: SeedOptions, scopes?: readonly Scope[]): Promise<Seed>;
  newKey(projectId: string, scopes: readonly Scope[]): Promise<string>;
  post(path: string): supertest.Test;
  get(path: string): supertest.Test;
  /** A write with the seed's key and groupRef. */
  write(seed: Seed, body: object): supertest.Test;
  countRows(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Puts something between the gateway and its database. */
  readonly reach?: (databaseUrl: string) => Promise<string>;
  /** With the real clients of Kafka and Redis, at addresses where nobody listens. @default in-process ones */
  readonly isAlone?: boolean;
  /** @default none */
  readonly logger?: Logger;
  /** Another gateway whose database and provider this one shares; that one stops last. */
  readonly beside?: RunningGateway;
}

/** A gateway for all tests of a suite; each begins with an account that takes everything and was not called. */
export function useGateway(wanted: GatewayOptions = {}): RunningGateway {
  const gateway = {} as RunningGateway;
  beforeAll(async () => {
    Object.assign(gateway, await startGateway(wanted));
  });
  beforeEach(() => {
    gateway.hubspot.calls.length = 0;
    gateway.hubspot.takeAll();
  });
  afterAll(() => gateway.stop());
  return gateway;
}

export async function startGateway(wanted: GatewayOptions = {}): Promise<RunningGateway> {
  const { env = {}, reach, beside, isAlone, logger = silentLogger } = wanted;
  const [clone, hubspot] = await (beside?.grounds ?? Promise.all([cloneDatabase(), startHubspot()]));
  const config = gatewayEnv.read({
    DATABASE_URL: (await reach?.(clone.url)) ?? clone.url,
    KAFKA_BROKERS: '127.0.0.1:9',
    REDIS_URL: 'redis://127.0.0.1:9',
    SLUICE_PORT: '0',
    SLUICE_METRICS_PORT: '0',
    // The tests' own connections stay idle.
    SLUICE_IDLE_GRACE_MS: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_CREDENTIALS_KEYS: `k1:${credentialsKey}`,
    HUBSPOT_API_URL: hubspot.url,
    SALESFORCE_INSTANCE_URL: hubspot.url,
    // A provider that says nothing is waited for as long; one that answers is never that slow.
    SLUICE_CALL_TIMEOUT_MS: '3000',
    ...env,
  });
  const hub = createInProcessHub();
  const messagingFor = (name: string): Messaging =>
    createInProcessMessaging({ hub, logger: silentLogger, metrics: createMetrics(name) });
  const listener = messagingFor('listener');
  const announced = await listen(listener);
  const inProcess = isAlone === true ? {} : { redis: createInMemoryRedis(), messaging: messagingFor('gateway') };
  // Where a test puts something before its database, that one will be away, and the usual limits are what it is about.
  const { timeScale } = config;
  const store = () => createStore({ url: clone.url, applicationName: 'test', timeScale, limits: patientLimits });
  const overrides = { logger, ...inProcess, ...(!reach && { store: store() }) };
  const context = createContext(config, overrides);
  const service = createGatewayService(context);
  const { port } = await service.start();
  const check = keepsContract(service.contract.document);
  const database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'test', limits: patientLimits });
  const post = (path: string) => supertest(`http://127.0.0.1:${port}`).post(path).expect(check);
  const newKey = async (projectId: string, scopes: readonly Scope[]): Promise<string> => {
    const secret = `sk_${randomBytes(32).toString('base64url')}`;
    await context.store.apiKeys.create({ projectId, label: 'test', scopes, secret });
    return secret;
  };
  return {
    context,
    hubspot,
    grounds: [clone, hubspot],
    database,
    announced,
    newKey,
    post,
    get: (path) => supertest(`http://127.0.0.1:${port}`).get(path).expect(check),
    seed: async (options = {}, scopes = ['write']) => {
      const seal = (id: string) => context.installations.seal({ noun: 'connection', id }, { accessToken: canary });
      const seeded = await seedInstallation(context.store, { seal, ...options });
      const path = `/v1/projects/${seeded.projectName}/integrations/${seeded.integrationId}/objects/contacts`;
      return { ...seeded, key: await newKey(seeded.projectId, scopes), path };
    },
    write: (seed, body) =>
      post(seed.path)
        .set('x-api-key', seed.key)
        .send({ groupRef: seed.groupRef, ...body }),
    countRows: () => countRows(clone.url),
    stop: async () => {
      await service.stop();
      await listener.close();
      await database.destroy();
      if (beside !== undefined) return;
      await hubspot.close();
      await clone.drop();
    },
  };
}

async function listen(messaging: Messaging): Promise<RunningGateway['announced']> {
  const announced = { autoBatched: [] as WriteAnnouncement[], ready: [] as WriteAnnouncement[] };
  for (const name of ['autoBatched', 'ready'] as const) {
    const handle = (writes: WriteAnnouncement[]) => Promise.resolve(void announced[name].push(...writes));
    await messaging.consume({ topic: topics[name], group: 'test', handle });
  }
  return announced;
}
