import type { Capabilities, Connector, FieldCapabilities, ProviderFailure } from '@sluice/connectors';
import type { ClaimedCall } from '@sluice/store';
import type {
  InstallationContext,
  LiveCredentials,
  ManifestReadObject,
  ReadObjectConfig,
  WriteObjectConfig,
} from '@sluice/types';
import type { PerformedCall } from '../src/performing/perform-call';
import type { Sendable } from '../src/performing/attempt';
import { planRecord, type PlannableRecord, type PlannedWrite } from '../src/planning/plan-write';
import { writeRulesOf, type WriteKind } from '../src/planning/write-rules';

/** Builders for the inputs of tests, without behaviour of their own. */

export interface ContactSettings {
  readonly write?: Omit<WriteObjectConfig, 'objectName'>;
  readonly read?: Omit<ReadObjectConfig, 'objectName'>;
  readonly declared?: Omit<ManifestReadObject, 'objectName'>;
  /** The manifest's `inheritMapping`. */
  readonly inherits?: boolean;
  readonly dropUnmappedFields?: boolean;
}

/** An installation that reads and writes `contacts`. */
export function contactsInstallation(o: ContactSettings = {}): InstallationContext {
  const objectName = 'contacts';
  return {
    projectId: 'p1',
    integrationId: 'i1',
    revisionId: 'v1',
    installationId: 'n1',
    groupRef: 'g1',
    provider: 'hubspot',
    configId: 'c1',
    connectionId: 'k1',
    laneId: 'l1',
    manifest: {
      name: 'crm',
      provider: 'hubspot',
      ...(o.declared && { read: { objects: [{ objectName, ...o.declared }] } }),
      write: { objects: [{ objectName, ...(o.inherits === undefined ? {} : { inheritMapping: o.inherits }) }] },
    },
    config: {
      provider: 'hubspot',
      ...(o.read && { read: { objects: { contacts: { objectName, ...o.read } } } }),
      ...(o.write && { write: { objects: { contacts: { objectName, ...o.write } } } }),
    },
    dropUnmappedFields: o.dropUnmappedFields ?? false,
  };
}

/** A record with the object and type that it is written as. */
export type PlannableWrite = PlannableRecord & WriteKind;

export function planWrite(
  context: InstallationContext,
  provider: FieldCapabilities,
  write: PlannableWrite,
): PlannedWrite {
  return planRecord(writeRulesOf(context, provider, write), write);
}

export function claimedCall(o: Partial<ClaimedCall> = {}): ClaimedCall {
  return {
    projectId: 'p1',
    operationId: 'o1',
    number: 1,
    laneId: 'l1',
    connectionId: 'k1',
    objectName: 'contacts',
    type: 'update',
    mode: 'asynchronous',
    allOrNone: false,
    fence: 3,
    attempts: 0,
    crashCount: 0,
    isInDoubt: false,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ...o,
  };
}

export type SendableParts = Partial<Omit<Sendable, 'write'>> & { readonly write?: Partial<Sendable['write']> };

/** A record of an update, an hour before its deadline, never sent; a create with `{ write: { type: 'create' } }`. */
export function sendable(o: SendableParts = {}): Sendable {
  const { write: parts, ...rest } = o;
  const index = o.index ?? 0;
  const isCreate = parts?.type === 'create';
  const write = {
    type: 'update' as const,
    objectName: 'contacts',
    ...(isCreate ? {} : { recordId: `r${index}` }),
    fields: { email: `${index}@example.com` },
    ...parts,
  };
  const orderKey = isCreate ? {} : { orderKey: `l1/contacts/${write.recordId}` };
  return { index, plan: JSON.stringify(write), ...orderKey, sendState: 'none', leftMs: 3_600_000, ...rest, write };
}

export function failure(o: Partial<ProviderFailure> = {}): ProviderFailure {
  return { class: 'rejected', message: 'said the provider', scope: 'record', ...o };
}

export function performed(...results: PerformedCall['results'][number][]): PerformedCall {
  const used = { connectionId: 'k1', tokenVersion: 4, status: 'working', provider: 'fake', groupRef: 'g1' } as const;
  return {
    results,
    parts: [],
    sentFields: results.map(() => undefined),
    calls: 1,
    used,
    attempt: { durationMs: 12, status: 200 },
  };
}

/** Credentials of a connection; the token carries its version. */
export function live(tokenVersion = 4, o: Partial<LiveCredentials> = {}): LiveCredentials {
  const credentials = { accessToken: `t${tokenVersion}`, refreshToken: 'r' };
  return { connectionId: 'k1', tokenVersion, provider: 'fake', groupRef: 'g1', status: 'working', credentials, ...o };
}

/** Names that compare as they are, and lists that are joined. */
export const exactFields: FieldCapabilities = {
  names: 'exact',
  reserved: { create: [], update: [] },
  listSeparator: ';',
};

export const hubspotLike: Capabilities = {
  fields: exactFields,
  batchCreate: { limit: 100 },
  batchUpdate: { limit: 100 },
  batchRead: { limit: 100 },
  search: { limit: 200 },
  delete: false,
  allOrNone: { create: true, update: false },
  associations: { create: true, update: false },
  forwardedHeaders: false,
  ifEmpty: true,
  quota: { limit: 110, windowMs: 10_000 },
  searchQuota: false,
  lateCommitMs: 30_000,
};

/** A provider that offers nothing but what is given. */
export function connector(o: Partial<Connector> = {}): Connector {
  return {
    provider: 'fake',
    capabilities: hubspotLike,
    catalogue: { baseURL: 'https://fake.test', authType: 'apiKey', defaultModule: '' },
    authSchemes: ['apiKey'],
    workspace: () => Promise.resolve({ workspaceRef: '1' }),
    recordKey: (recordId) => recordId,
    visibilityMs: () => 0,
    fingerprint: (_, fields) => JSON.stringify(fields),
    ...o,
  };
}

/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
