import {
  callId,
  createStore,
  newId,
  openDatabase,
  type AcceptableWrite,
  type BatchableWrite,
  type ClaimedCall,
  type DatabaseLimits,
  type LaneKey,
  type PlannedCall,
  type RecordSettlement,
  type SealedRecord,
  type Settlement,
  type SettlingAnswer,
  type Store,
} from '@sluice/store';
import {
  cloneDatabase,
  seedInstallation,
  type ClonedDatabase,
  type SeededInstallation,
  patientLimits,
} from '@sluice/testkit';

type Database = ReturnType<typeof openDatabase>;
type DatabaseOptions = Parameters<typeof openDatabase>[0];

/** A database of its own with one installation and a key, and short words for what tests do all the time. */
export interface WriteFixture {
  readonly url: string;
  /** Another way into the database, for what a test must arrange or see in the tables. */
  readonly database: Database;
  /** Connections of a test's own, one by default, which end with the fixture. A statement may take as long as `limits` allow. */
  connect(o?: Partial<Omit<DatabaseOptions, 'limits'>> & { readonly limits?: Partial<DatabaseLimits> }): Database;
  readonly store: Store;
  readonly seeded: SeededInstallation;
  readonly lane: LaneKey;
  asynchronous(o?: {
    type?: 'create' | 'update';
    records?: { recordId?: string }[];
    configId?: string;
  }): AcceptableWrite;
  batchable(o?: { type?: 'create' | 'update'; recordId?: string; maxDelayMs?: number }): BatchableWrite;
  /** Accepts a write of its own. */
  accept(o?: Parameters<WriteFixture['asynchronous']>[0]): Promise<AcceptableWrite>;
  claim(o?: ClaimOptions): Promise<ClaimedCall[]>;
  /** The first call that is claimed. */
  claimOne(o?: ClaimOptions): Promise<ClaimedCall>;
  /** Records the intent to send these records of a call. @returns the calls that may be sent */
  send(call: ClaimedCall, ...indexes: number[]): Promise<ReadonlySet<string>>;
  /** Settles a call as done unless `more` says otherwise. What was looked up was not sent. */
  settle(call: ClaimedCall, records: readonly RecordSettlement[], more?: Partial<Settlement>): Promise<SettlingAnswer>;
  /** Ends the leases of what runs, as when its process died. @returns what became of it */
  lapse(): ReturnType<Store['writes']['lapse']>;
  /** Seals a batch into one call. */
  seal(operationId: string): ReturnType<Store['writes']['seal']>;
  settleAll(call: ClaimedCall, orderKeys?: string[]): Promise<Settlement>;
  close(): Promise<void>;
}

type ClaimOptions = Partial<{ isolated: boolean; leaseMs: number; limit: number; perLane: number }>;

/** A record that is to be tried, or looked up, again. */
export const unfinished = (index: number, sendState: 'none' | 'maybe' = 'none'): RecordSettlement => ({
  index,
  kind: 'again',
  sendState,
});
export const written = (index: number, providerId: string): RecordSettlement => ({
  index,
  kind: 'succeeded',
  providerId,
});

/** All of a sealed batch in the first call. */
export const oneCall = ({ connectionId }: SeededInstallation, records: readonly SealedRecord[]): PlannedCall[] => [
  {
    number: 1,
    connectionId,
    recordIndexes: records.map(({ index }) => index),
    planBytes: records.reduce((sum, { planBytes }) => sum + planBytes, 0),
  },
];

/** A fixture of its own for each test, or one for all tests of the file. */
export function useWriteFixture(owner: 'test' | 'file' = 'test'): WriteFixture {
  const fixture = {} as WriteFixture;
  const [before, after] = owner === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => void Object.assign(fixture, await createWriteFixture()));
  after(() => fixture.close());
  return fixture;
}

export async function createWriteFixture(): Promise<WriteFixture> {
  const clone: ClonedDatabase = await cloneDatabase();
  const { url } = clone;
  const store = createStore({ url, applicationName: 'test', poolMax: 20, limits: patientLimits });
  const database = openDatabase({ url, applicationName: 'test', poolMax: 4, limits: patientLimits });
  const connected: Database[] = [];
  const seeded = await seedInstallation(store);
  const key = await store.apiKeys.create({
    projectId: seeded.projectId,
    label: 'test',
    scopes: ['full'],
    secret: 'a secret of the test',
  });
  const names = {
    withinProjectId: seeded.projectId,
    projectIdOrName: seeded.projectId,
    integrationId: seeded.integrationId,
    groupRef: seeded.groupRef,
  };
  const found = await store.installationLookup.findIds(names);
  if (found.missing !== undefined) throw new Error(`the fixture lacks its ${found.missing}`);
  const { laneId } = found.ids;
  const keyId = key.key;

  const operation = (type: 'create' | 'update', mode: 'asynchronous' | 'auto-batched', configId = seeded.configId) => ({
    projectId: seeded.projectId,
    id: newId(),
    integrationId: seeded.integrationId,
    laneId,
    objectName: 'contacts',
    type,
    mode,
    allOrNone: false,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    pins: {
      installationId: seeded.installationId,
      configId,
      connectionId: seeded.connectionId,
      revisionId: seeded.revisionId,
      keyId,
    },
  });
  const row = (recordId?: string) => ({
    headersKey: '',
    plan: JSON.stringify({ fields: {} }),
    retryMs: 3_600_000,
    ...(recordId === undefined ? {} : { orderKey: `${laneId}/contacts/${recordId}` }),
  });
  const claim: WriteFixture['claim'] = async (o = {}) => {
    const lanes = [{ projectId: seeded.projectId, laneId }];
    const request = { owner: 'test', lanes, limit: 100, perLane: 4, leaseMs: 6_000, isolated: false, ...o };
    return [...(await store.writes.claim(request)).calls];
  };
  const asynchronous: WriteFixture['asynchronous'] = ({ type = 'create', records = [{}], configId } = {}) => ({
    operation: operation(type, 'asynchronous', configId),
    records: records.map(({ recordId }, index) => ({ ...row(recordId), index, callNumber: 1 })),
  });
  return {
    url,
    database,
    connect: ({ limits, ...o } = {}) => {
      const options = { url, applicationName: 'test', poolMax: 1, ...o, limits: { ...patientLimits, ...limits } };
      const made = openDatabase(options);
      connected.push(made);
      return made;
    },
    store,
    seeded,
    lane: { projectId: seeded.projectId, laneId },
    asynchronous,
    accept: async (o) => {
      const write = asynchronous(o);
      await store.writes.accept([write]);
      return write;
    },
    batchable: ({ type = 'create', recordId, maxDelayMs = 60_000 } = {}) => ({
      recordId: newId(),
      operation: operation(type, 'auto-batched'),
      record: row(recordId),
      maxDelayMs,
    }),
    claim,
    claimOne: async (o) => {
      const [call] = await claim(o);
      if (call === undefined) throw new Error('nothing was claimed');
      return call;
    },
    send: (call, ...indexes) =>
      store.writes.recordIntents([{ ...call, records: indexes.map((index) => ({ index, fingerprint: `f${index}` })) }]),
    settle: async (call, records, more) => {
      const attempt = call.isInDoubt ? {} : { attempt: { durationMs: 1 } };
      const ending = { isCreate: call.type === 'create', records, next: { state: 'done' }, orderKeys: [] } as const;
      const { answers } = await store.writes.settle([{ ...call, ...attempt, ...ending, ...more }]);
      return answers.get(callId(call)) as SettlingAnswer;
    },
    lapse: async () => {
      await database('calls')
        .where({ state: 'running' })
        .update({ lease_until: database.raw(`now() - interval '1 second'`) });
      return await store.writes.lapse(100);
    },
    seal: (operationId) =>
      store.writes.seal({ projectId: seeded.projectId, operationId }, (records) => oneCall(seeded, records)),
    settleAll: async (call, orderKeys = []) => {
      const records = await store.writes.loadPending(call);
      const settlement: Settlement = {
        ...call,
        isCreate: call.type === 'create',
        attempt: { durationMs: 1, status: 201 },
        records: records.map(({ index }) => ({ index, kind: 'succeeded', providerId: newId() })),
        next: { state: 'done' },
        orderKeys: [...orderKeys, ...records.flatMap((record) => record.orderKey ?? [])],
      };
      await store.writes.settle([settlement]);
      return settlement;
    },
    close: async () => {
      await Promise.all([store.close(), ...[database, ...connected].map((each) => each.destroy())]);
      await clone.drop();
    },
  };
}
