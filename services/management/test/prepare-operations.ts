import { newId, type BatchMembership, type ClaimedCall, type RecordSettlement, type Settlement } from '@sluice/store';
import { seedInstallation, type SeededInstallation } from '@sluice/testkit';
import type { RunningManagement, Sender } from './start-management';

/** A value of a record, which must not appear where operations are described. */
export const customerValue = 'canary-customer-value';

/** An installation, and what a gateway and an executor would do to its operations. */
export interface PreparedOperations {
  readonly seed: SeededInstallation;
  /** Sends with a key of its project. */
  readonly send: Sender;
  /** `P`, by id. */
  readonly path: string;
  /** An asynchronous operation of this many creates in one call; its id. */
  accept(records?: number, objectName?: string): Promise<string>;
  /** The auto-batch that a create joins; its id. */
  join(): Promise<string>;
  /** Claims what is ready, sends it as far as the tables know, and settles it. */
  settle(records: readonly RecordSettlement['kind'][], more?: Partial<Settlement>): Promise<void>;
  /** An operation that ended in this way. */
  ended(records: readonly RecordSettlement['kind'][]): Promise<string>;
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export async function prepareOperations(
  management: RunningManagement,
  scopes: readonly string[] = ['read'],
): Promise<PreparedOperations> {
  const { store } = management.context;
  const { writes } = store;
  const seed = await seedInstallation(store);
  const { projectId, integrationId, installationId, configId, connectionId, revisionId, groupRef } = seed;
  const keyId = (await store.apiKeys.create({ projectId, label: 'test', scopes: ['write'], secret: newId() })).key;
  const names = { withinProjectId: projectId, projectIdOrName: projectId, integrationId, groupRef };
  const found = await store.installationLookup.findIds(names);
  if (found.missing !== undefined) throw new Error(`the seed lacks its ${found.missing}`);
  const { laneId } = found.ids;
  const pins = { installationId, configId, connectionId, revisionId, keyId };
  const operationOf = (mode: 'asynchronous' | 'auto-batched', objectName = 'contacts') => {
    const named = { projectId, id: newId(), integrationId, laneId, objectName, type: 'create' as const, mode };
    return { ...named, allOrNone: false, traceparent, pins };
  };
  const row = { headersKey: '', plan: JSON.stringify({ fields: { city: customerValue } }), retryMs: 3_600_000 };
  const claim = async (): Promise<ClaimedCall> => {
    const request = { owner: 'test', limit: 1, perLane: 100, leaseMs: 60_000, isolated: false };
    const [call] = (await writes.claim({ ...request, lanes: [{ projectId, laneId }] })).calls;
    if (call === undefined) throw new Error('nothing is ready');
    return call;
  };
  const prepared: PreparedOperations = {
    seed,
    send: management.as(await management.newKey(projectId, scopes)),
    path: `/v1/projects/${projectId}`,
    accept: async (records = 1, objectName) => {
      const operation = operationOf('asynchronous', objectName);
      const rows = Array.from({ length: records }, (_, index) => ({
        ...row,
        index,
        callNumber: 1,
        ref: `row-${index}`,
      }));
      await writes.accept([{ operation, records: rows }]);
      return operation.id;
    },
    join: async () => {
      const write = { recordId: newId(), operation: operationOf('auto-batched'), record: row, maxDelayMs: 60_000 };
      return ((await writes.join([write])).get(write.recordId) as BatchMembership).operationId;
    },
    settle: async (kinds, more = {}) => {
      const call = await claim();
      const indexes = (await writes.loadPending(call)).map(({ index }) => ({ index }));
      await writes.recordIntents([{ ...call, records: indexes }]);
      await writes.settle([
        {
          ...call,
          isCreate: true,
          attempt: { status: 201, durationMs: 12, providerRequestId: 'their-request-1' },
          records: kinds.map((kind, at) => toSettlement(kind, indexes[at]?.index ?? at)),
          next: { state: 'done' },
          orderKeys: [],
          ...more,
        },
      ]);
    },
    ended: async (kinds) => {
      const id = await prepared.accept(kinds.length);
      await prepared.settle(kinds);
      return id;
    },
  };
  return prepared;
}

function toSettlement(kind: RecordSettlement['kind'], index: number): RecordSettlement {
  const error = { class: 'rejected', text: `The provider says: ${customerValue} is not an email.` } as const;
  if (kind === 'succeeded') return { index, kind, providerId: `provider-${newId()}` };
  return kind === 'again' ? { index, kind, sendState: 'none', error } : { index, kind, error };
}

/** Those of each test of a suite, in a project of its own. */
export function useOperations(management: RunningManagement, scopes?: readonly string[]): PreparedOperations {
  const prepared = {} as PreparedOperations;
  beforeEach(async () => {
    Object.assign(prepared, await prepareOperations(management, scopes));
  });
  return prepared;
}
