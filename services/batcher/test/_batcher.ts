import {
  createInProcessHub,
  createInProcessMessaging,
  topics,
  type Announcer,
  type Messaging,
} from '@sluice/messaging';
import { createStore, newId, openDatabase, type BatchableWrite, type BatchMembership, type Store } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { cloneDatabase, seedInstallation, type SeededInstallation, patientLimits } from '@sluice/testkit';
import type { WriteAnnouncement } from '@sluice/types';
import { headersKeyOf, orderKeyOf } from '@sluice/writes';
import { batcherEnv, createBatcherService, createContext, type BatcherContext } from '../src/service';

/** A record to batch; what is left out is a create that leaves in five minutes. */
export interface BatchableOptions {
  /** An update of this record; a create without it. */
  readonly recordId?: string;
  readonly maxDelayMinutes?: number;
  /** Value of a forwarded header. */
  readonly header?: string;
  readonly connectionId?: string;
}

export interface Joined extends BatchMembership {
  readonly write: BatchableWrite;
}

/** A database with one installation, a hub, and what a gateway would do; batchers are started on it. */
export interface Fixture {
  readonly url: string;
  readonly store: Store;
  readonly database: ReturnType<typeof openDatabase>;
  readonly seed: SeededInstallation;
  /** Calls that were announced as ready, in order. */
  readonly ready: WriteAnnouncement[];
  join(options: readonly BatchableOptions[]): Promise<Joined[]>;
  /** Says what the gateway says of a joined record; `more` forges it. */
  announce(joined: Joined, more?: Partial<WriteAnnouncement>): void;
  startBatcher(env?: Record<string, string>, overrides?: Partial<BatcherContext>): Promise<RunningBatcher>;
  callsOf(operationId: string): Promise<{ number: number; indexes: number[] }[]>;
  stateOf(operationId: string): Promise<string>;
  close(): Promise<void>;
}

export interface RunningBatcher {
  readonly context: BatcherContext;
  stop(): Promise<void>;
  /** Batches flushed, by what woke the flush. */
  flushed(source: 'message' | 'timer' | 'sweep'): Promise<number>;
  /** Messages that named nothing. */
  orphans(): Promise<number>;
}

/** @param timeScale divides the delays of batches that are joined */
export async function createFixture(timeScale = 1): Promise<Fixture> {
  const clone = await cloneDatabase();
  const openStore = () => createStore({ url: clone.url, applicationName: 'test', timeScale, limits: patientLimits });
  const store = openStore();
  const database = openDatabase({ url: clone.url, poolMax: 2, applicationName: 'test', limits: patientLimits });
  const seed = await seedInstallation(store);
  const toBatchable = await batchables(store, seed);
  const hub = createInProcessHub();
  const messagingFor = (name: string): Messaging =>
    createInProcessMessaging({ hub, logger: silentLogger, metrics: createMetrics(name) });
  const gateway = messagingFor('gateway');
  const announcer: Announcer = gateway.announcer(topics.autoBatched);
  const ready: WriteAnnouncement[] = [];
  await gateway.consume({
    topic: topics.ready,
    group: 'test',
    handle: (writes) => Promise.resolve(void ready.push(...writes)),
  });
  const started: RunningBatcher[] = [];
  return {
    url: clone.url,
    store,
    database,
    seed,
    ready,
    join: async (options) => {
      const writes = options.map(toBatchable);
      const answers = await store.writes.join(writes);
      return writes.map((write) => ({ write, ...(answers.get(write.recordId) as BatchMembership) }));
    },
    announce: (joined, more) => {
      const write = { ...toAnnouncement(joined), ...more };
      announcer.announce(topics.autoBatched.key(write), write);
    },
    startBatcher: async (env = {}, overrides = {}) => {
      const settings = { DATABASE_URL: clone.url, SLUICE_TIME_SCALE: String(timeScale), ...env };
      // A database that a test gives will be away, and the usual limits are what it is about.
      const own = env['DATABASE_URL'] === undefined && { store: openStore() };
      const batcher = await startBatcher(settings, { messaging: messagingFor('batcher'), ...own, ...overrides });
      started.push(batcher);
      return batcher;
    },
    callsOf: async (operationId) => {
      const { rows } = await database.raw<{ rows: { number: number; indexes: number[] }[] }>(
        `select c.number, array_agg(r.record_index order by r.record_index) as indexes from calls c
         join records r on r.operation_id = c.operation_id and (c.members is null or r.record_index = any(c.members))
         where c.operation_id = ? group by c.number order by c.number`,
        [operationId],
      );
      return rows;
    },
    stateOf: async (operationId) => {
      const [row] = await database('operations').where({ id: operationId }).select<{ state: string }[]>('state');
      return row?.state ?? 'none';
    },
    close: async () => {
      for (const batcher of started) await batcher.stop();
      await gateway.close();
      await database.destroy();
      await store.close();
      await clone.drop();
    },
  };
}

async function startBatcher(env: Record<string, string>, overrides: Partial<BatcherContext>): Promise<RunningBatcher> {
  const config = batcherEnv.read({
    KAFKA_BROKERS: '127.0.0.1:9',
    SLUICE_PORT: '0',
    SLUICE_METRICS_PORT: '0',
    SLUICE_HOST: '127.0.0.1',
    ...env,
  });
  const context = createContext(config, { logger: silentLogger, ...overrides });
  const service = createBatcherService(context);
  await service.start();
  let stopped: Promise<void> | undefined;
  return {
    context,
    stop: () => (stopped ??= service.stop()),
    orphans: async () => {
      const { body } = await context.metrics.expose();
      return Number(/^sluice_messages_stray_total\{[^}]*\} (\d+)$/m.exec(body)?.[1] ?? 0);
    },
    flushed: async (source) => {
      const { body } = await context.metrics.expose();
      const line = new RegExp(`^sluice_batches_flushed_total\\{source="${source}"[^}]*\\} (\\d+)$`, 'm').exec(body);
      return Number(line?.[1] ?? 0);
    },
  };
}

async function batchables(
  store: Store,
  seed: SeededInstallation,
): Promise<(options: BatchableOptions) => BatchableWrite> {
  const { projectId, integrationId, installationId, configId, connectionId, revisionId } = seed;
  const key = await store.apiKeys.create({
    projectId,
    label: 'test',
    scopes: ['write'],
    secret: 'a secret of the test',
  });
  const found = await store.installationLookup.findIds({
    ...seed,
    withinProjectId: projectId,
    projectIdOrName: projectId,
  });
  if (found.missing !== undefined) throw new Error(`the fixture lacks its ${found.missing}`);
  const { laneId } = found.ids;
  return ({ recordId, maxDelayMinutes = 5, header, connectionId: other }) => {
    const type = recordId === undefined ? 'create' : 'update';
    const orderKey = orderKeyOf(laneId, 'contacts', recordId);
    const headers = header === undefined ? undefined : [{ key: 'x-test', value: header }];
    const pins = { installationId, configId, connectionId: other ?? connectionId, revisionId, keyId: key.key };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const named = {
      projectId,
      id: newId(),
      integrationId,
      laneId,
      objectName: 'contacts',
      type,
      traceparent,
      pins,
    } as const;
    return {
      recordId: newId(),
      operation: { ...named, mode: 'auto-batched', allOrNone: false },
      record: {
        headersKey: headersKeyOf(headers),
        plan: JSON.stringify({ type, objectName: 'contacts', fields: {} }),
        retryMs: 3_600_000,
        ...(orderKey === undefined ? {} : { orderKey }),
      },
      maxDelayMs: maxDelayMinutes * 60_000,
    };
  };
}

function toAnnouncement({ write, ...membership }: Joined): WriteAnnouncement {
  const { operation, recordId } = write;
  return {
    projectId: operation.projectId,
    operationId: membership.operationId,
    installationId: operation.pins.installationId,
    laneId: operation.laneId,
    objectName: operation.objectName,
    type: operation.type,
    index: membership.index,
    recordId,
    acceptedAt: membership.acceptedAt.toISOString(),
    dueAt: membership.dueAt.toISOString(),
    isFull: membership.isFull,
    traceparent: operation.traceparent,
  };
}
