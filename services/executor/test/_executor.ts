import { randomBytes } from 'node:crypto';
import { createInstallations } from '@sluice/installations';
import { createInProcessHub, createInProcessMessaging, topics, type Messaging } from '@sluice/messaging';
import { createInMemoryRedis } from '@sluice/redis';
import { createStore, newId, openDatabase, type AcceptableWrite, type Store } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import {
  cloneDatabase,
  seedInstallation,
  type SeededInstallation,
  type SeedOptions,
  until,
  patientLimits,
} from '@sluice/testkit';
import type {
  Credentials,
  Operation,
  OperationRecord,
  ProviderApp,
  WriteAnnouncement,
  WriteRecord,
} from '@sluice/types';
import { headersKeyOf, orderKeyOf, planCalls, planRecord, writeRulesOf } from '@sluice/writes';
import { createContext, createExecutorService, executorEnv, type ExecutorContext } from '../src/service';
import { startFakeHubspot, type FakeHubspot } from './_fake-hubspot';

/** The access token of every seeded connection. */
export const canary = 'canary-token-9a0e';

/** For tests that must see a doubt: the first look comes after three seconds, and what was not found is sent again after nine. */
export const doubting = { SLUICE_CALL_TIMEOUT_MS: '2000', SLUICE_TIME_SCALE: '10' };

/** A seeded installation with the names of its lane. */
export interface Seed extends SeededInstallation {
  readonly laneId: string;
  readonly keyId: string;
}

export interface AcceptOptions {
  readonly type?: 'create' | 'update';
  readonly deadlineHours?: number;
  /** Records of one call at most. @default 100 */
  readonly recordsPerCall?: number;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string;
  /** Says it on `sluice.writes.ready`. @default true */
  readonly announce?: boolean;
}

export interface RunningExecutor {
  readonly context: ExecutorContext;
  /** Finishes what is in flight. Repeatable. */
  stop(): Promise<void>;
  /** Messages that named nothing. */
  orphans(): Promise<number>;
  /** Calls claimed, by what woke their lane. */
  claimed(source: 'message' | 'timer' | 'sweep' | 'lapse'): Promise<number>;
}

/** A database, a hub, a fake HubSpot, and what a gateway would do; executors are started on it. */
export interface Fixture {
  /** Of the database. */
  readonly url: string;
  readonly store: Store;
  readonly database: ReturnType<typeof openDatabase>;
  readonly hubspot: FakeHubspot;
  /** @param credentials of its connection; a text is an access token that cannot be refreshed */
  seed(options?: SeedOptions, credentials?: string | Credentials): Promise<Seed>;
  /** A provider app of the seed's project. */
  registerApp(seed: Seed, clientSecret: string): Promise<ProviderApp>;
  /** One asynchronous operation of these records; its id. */
  accept(seed: Seed, records: readonly WriteRecord[], options?: AcceptOptions): Promise<string>;
  /** Says the operation's calls on `sluice.writes.ready` (again). @param forged what the message says otherwise */
  announce(operationId: string, forged?: Partial<WriteAnnouncement>): Promise<void>;
  startExecutor(env?: Record<string, string>, overrides?: Partial<ExecutorContext>): Promise<RunningExecutor>;
  operation(seed: Seed, operationId: string): Promise<Operation>;
  records(seed: Seed, operationId: string): Promise<OperationRecord[]>;
  /** The operation, once it is final. */
  ended(seed: Seed, operationId: string, boundMs?: number): Promise<Operation>;
  callStates(operationId: string): Promise<string[]>;
  /** Whether the account of this seed was ever blocked, also when the block is over. */
  wasBlocked(seed: Seed): Promise<boolean>;
  /** Moves the retry deadline of an operation's records to this long from now, in milliseconds; negative: it has passed. */
  setDeadline(operationId: string, leftMs: number): Promise<void>;
  close(): Promise<void>;
}

const keys = `k1:${randomBytes(32).toString('base64')}`;

/** A fixture for each test of a suite. */
export function useFixture(): Fixture {
  const fixture = {} as Fixture;
  beforeEach(async () => {
    Object.assign(fixture, await createFixture());
  });
  afterEach(() => fixture.close());
  return fixture;
}

export async function createFixture(): Promise<Fixture> {
  const [clone, hubspot] = await Promise.all([cloneDatabase(), startFakeHubspot()]);
  const openStore = (timeScale?: number) =>
    createStore({
      url: clone.url,
      applicationName: 'test',
      limits: patientLimits,
      ...(timeScale !== undefined && { timeScale }),
    });
  const store = openStore();
  const database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'test', limits: patientLimits });
  const hub = createInProcessHub();
  const messagingFor = (name: string): Messaging =>
    createInProcessMessaging({ hub, logger: silentLogger, metrics: createMetrics(name) });
  const gateway = messagingFor('gateway');
  const announcer = gateway.announcer(topics.ready);
  const settings = readSettings(clone.url, hubspot.url);
  const installations = createInstallations({
    store,
    keyring: settings({}).credentialsKeys,
    connectors: { find: () => undefined },
    logger: silentLogger,
  });
  const started: RunningExecutor[] = [];

  const announce = async (operationId: string, forged: Partial<WriteAnnouncement> = {}): Promise<void> => {
    const rows = await database('calls as c')
      .join('operations as o', 'o.id', 'c.operation_id')
      .where('o.id', operationId)
      .select('c.*', 'o.installation_id');
    for (const row of rows as CallRow[]) {
      const write = { ...toAnnouncement(row), acceptedAt: row.created_at.toISOString(), ...forged };
      announcer.announce(topics.ready.key(write), write);
    }
  };
  const find = async (seed: Seed, operationId: string): Promise<Operation> =>
    (await store.operations.find(seed.projectId, operationId)) as Operation;
  return {
    url: clone.url,
    store,
    database,
    hubspot,
    announce,
    seed: async (options, given = canary) => {
      const credentials = typeof given === 'string' ? { accessToken: given } : given;
      const seal = (id: string) => installations.seal({ noun: 'connection', id }, credentials);
      const seeded = await seedInstallation(store, { seal, ...options });
      const secret = randomBytes(9).toString('hex');
      const key = await store.apiKeys.create({ projectId: seeded.projectId, label: 'test', scopes: ['write'], secret });
      const { laneId } = await installations.resolve(namesOf(seeded));
      return { ...seeded, laneId, keyId: key.key };
    },
    registerApp: ({ projectId }, clientSecret) =>
      store.providerApps.create({
        projectId,
        provider: 'hubspot',
        clientId: 'client-1',
        seal: (id) => installations.seal({ noun: 'provider app', id }, clientSecret),
      }),
    accept: async (seed, records, options = {}) => {
      const write = toAcceptable(await installations.resolve(namesOf(seed)), seed, records, options);
      const accepted = await store.writes.accept([write]);
      const answer = accepted.get(write.operation.id);
      if (answer !== undefined && 'kind' in answer && answer.kind === 'stale')
        throw new Error('a fresh write was called stale');
      if (options.announce !== false) await announce(write.operation.id);
      return write.operation.id;
    },
    startExecutor: async (env = {}, overrides = {}) => {
      // A database that a test gives will be away, and the usual limits are what it is about.
      const own = env['DATABASE_URL'] === undefined && { store: openStore(settings(env).timeScale) };
      const executor = await startExecutor(settings(env), {
        messaging: messagingFor('executor'),
        ...own,
        ...overrides,
      });
      started.push(executor);
      return executor;
    },
    operation: find,
    records: (seed, operationId) => store.operations.listRecords(seed.projectId, operationId),
    ended: (seed, operationId, boundMs) =>
      until(
        'the end of the operation',
        async () => {
          const operation = await find(seed, operationId);
          return operation.status === 'in_progress' ? undefined : operation;
        },
        boundMs,
      ),
    callStates: async (operationId) => {
      const rows = await database('calls').where({ operation_id: operationId }).orderBy('number').select('state');
      return (rows as { state: string }[]).map(({ state }) => state);
    },
    wasBlocked: async ({ projectId, laneId }) => {
      const lane = await database('lanes').where({ project_id: projectId, id: laneId }).first('blocked_until');
      return ((lane as { blocked_until: Date | null } | undefined)?.blocked_until ?? null) !== null;
    },
    setDeadline: async (operationId, leftMs) => {
      const moment = database.raw(`now() + make_interval(secs => ?::float8 / 1000)`, [leftMs]);
      await database('calls')
        .where({ operation_id: operationId })
        .update({ base_at: database.raw('base_at + (? - deadline)', [moment]), deadline: moment });
    },
    close: async () => {
      for (const executor of started) await executor.stop();
      await gateway.close();
      await hubspot.close();
      await database.destroy();
      await store.close();
      await clone.drop();
    },
  };
}

function readSettings(databaseUrl: string, hubspotUrl: string) {
  return (env: Record<string, string>) =>
    executorEnv.read({
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: '127.0.0.1:9',
      REDIS_URL: 'redis://127.0.0.1:9',
      SLUICE_PORT: '0',
      SLUICE_METRICS_PORT: '0',
      SLUICE_HOST: '127.0.0.1',
      SLUICE_CREDENTIALS_KEYS: keys,
      HUBSPOT_API_URL: hubspotUrl,
      // A call ends by its reply, however slow the machine is. Tests of silence have a shorter one.
      SLUICE_CALL_TIMEOUT_MS: '20000',
      // The provider's late-commit window of 30 s lasts half a second.
      SLUICE_TIME_SCALE: '60',
      ...env,
    });
}

async function startExecutor(
  config: ReturnType<typeof executorEnv.read>,
  overrides: Partial<ExecutorContext>,
): Promise<RunningExecutor> {
  const context = createContext(config, { logger: silentLogger, redis: createInMemoryRedis(), ...overrides });
  const service = createExecutorService(context);
  await service.start();
  let stopped: Promise<void> | undefined;
  return {
    context,
    stop: () => (stopped ??= service.stop()),
    orphans: async () => {
      const { body } = await context.metrics.expose();
      return Number(/^sluice_messages_stray_total\{[^}]*\} (\d+)$/m.exec(body)?.[1] ?? 0);
    },
    claimed: async (source) => {
      const { body } = await context.metrics.expose();
      const line = new RegExp(`^sluice_claims_total\\{source="${source}"[^}]*\\} (\\d+)$`, 'm').exec(body);
      return Number(line?.[1] ?? 0);
    },
  };
}

function namesOf(seed: SeededInstallation) {
  return { ...seed, withinProjectId: seed.projectId, projectIdOrName: seed.projectId };
}

type Resolved = Parameters<typeof writeRulesOf>[0];
const fields = { names: 'exact', reserved: { create: [], update: [] }, listSeparator: ';' } as const;

function toAcceptable(
  resolved: Resolved,
  seed: Seed,
  records: readonly WriteRecord[],
  o: AcceptOptions,
): AcceptableWrite {
  const { projectId, integrationId, installationId, configId, connectionId, revisionId, laneId, keyId } = seed;
  const { type = 'create', deadlineHours = 1 } = o;
  const rules = writeRulesOf(resolved, fields, { type, objectName: 'contacts' });
  const rows = records.map((record, index) => {
    const { plan } = planRecord(rules, { record, path: 'record' });
    const orderKey = orderKeyOf(laneId, 'contacts', plan.recordId);
    const retryMs = deadlineHours * 3_600_000;
    const more = { ...(orderKey && { orderKey }), ...(o.ref && { ref: o.ref }) };
    return { index, headersKey: headersKeyOf([]), plan: JSON.stringify(plan), retryMs, ...more };
  });
  const calls = planCalls(
    rows.map((row) => ({ ...row, connectionId, isBehindAnother: false, planBytes: Buffer.byteLength(row.plan) })),
    { records: o.recordsPerCall ?? 100 },
  );
  const numberOf = new Map(calls.flatMap((call) => call.recordIndexes.map((index) => [index, call.number] as const)));
  return {
    operation: {
      projectId,
      id: newId(),
      integrationId,
      laneId,
      objectName: 'contacts',
      type,
      mode: 'asynchronous',
      allOrNone: false,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      pins: { installationId, configId, connectionId, revisionId, keyId },
    },
    records: rows.map((row) => ({ ...row, callNumber: numberOf.get(row.index) ?? 1 })),
  };
}

interface CallRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly installation_id: string;
  readonly lane_id: string;
  readonly object_name: string;
  readonly type: 'create' | 'update';
  readonly number: number;
  readonly created_at: Date;
  readonly traceparent: string;
}

function toAnnouncement(row: CallRow) {
  return {
    projectId: row.project_id,
    operationId: row.operation_id,
    installationId: row.installation_id,
    laneId: row.lane_id,
    objectName: row.object_name,
    type: row.type,
    callNumber: row.number,
    traceparent: row.traceparent,
  };
}
