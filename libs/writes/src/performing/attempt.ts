import type {
  Auth,
  ObservedExchange,
  ProviderFailure,
  RecordRead,
  RecordResult,
  MayBeResend,
  Connector,
} from '@sluice/connectors';
import { DefectError, NotFoundError, ProviderError, SluiceError } from '@sluice/errors';
import { accessOf, type LiveCredentials, type WritePlan } from '@sluice/types';
import type { ClaimedCall, ConnectionKey, PendingRecord } from '@sluice/store';
import type { QuotaAnswer } from '@sluice/redis';
import type { HeldBytes } from '@sluice/telemetry';
import type { Hold } from '../leasing/lease-keeper';

/** What a read by ids found, or why it failed. */
export type Read =
  | { readonly ok: true; readonly found: readonly RecordRead[] }
  | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * The provider calls of one attempt. Each one but the first takes quota, each write checks the lease, and the first call that is refused
 * for its token is repeated with a refreshed one. A 401 wrote nothing, so that call alone is repeated. A refreshed one that is refused too ends
 * the attempt, and at first not the connection.
 */
export class Attempt {
  /** Provider calls made, reads among them. */
  calls = 0;
  isReplayed = false;
  exchange: ObservedExchange | undefined;
  /** Fields that were written, by the index of their record. */
  readonly written = new Map<number, WritePlan['fields']>();
  private live: LiveCredentials;
  private hasRefreshed = false;

  constructor(readonly request: CallToPerform) {
    this.live = request.live;
  }

  /** The connection as it was used last. */
  get used(): UsedConnection {
    return usedOf(this.live);
  }

  /** Sends these records in one call. Never throws for what a provider does. */
  async write(records: readonly Sendable[]): Promise<readonly RecordResult[]> {
    const withheld = await this.takeQuota();
    if (withheld !== undefined) return failAll(records, withheld);
    for (;;) {
      const results = await this.writeNow(records);
      if (!isRefused(results)) return this.note(records, results);
      const refreshed = await this.refresh();
      if (refreshed.kind === 'failed') return failAll(records, refreshed.failure);
      if (refreshed.kind === 'stands') return results;
    }
  }

  /** Reads records by id, in one call. */
  async read(ids: readonly string[], fields: readonly string[]): Promise<Read> {
    const failure = await this.takeQuota();
    if (failure !== undefined) return { ok: false, failure };
    for (;;) {
      const read = await this.readNow(ids, fields);
      if (read.ok || read.failure.class !== 'credentials') return read;
      const refreshed = await this.refresh();
      if (refreshed.kind === 'failed') return { ok: false, failure: refreshed.failure };
      if (refreshed.kind === 'stands') return read;
    }
  }

  /**
   * The lease is checked here, because the process may have been paused since the intent or an earlier call, and nothing has aborted it yet.
   * @throws DefectError when the connector answers another number of records
   */
  private async writeNow(records: readonly Sendable[]): Promise<readonly RecordResult[]> {
    const { hold, connector } = this.request;
    if (!hold.mayStillSend()) {
      const message = 'Not sent: the lease of the call has run out.';
      return failAll(records, { class: 'unavailable', message, scope: 'call' });
    }
    this.calls += 1;
    const results = await send({ ...this.request, records, auth: accessOf(this.live), observe: this.observe });
    if (results.length === records.length) return results;
    const detail = `${connector.provider} answered ${results.length} of ${records.length} records.`;
    throw new DefectError({ code: 'service.defect', detail });
  }

  private async readNow(ids: readonly string[], fields: readonly string[]): Promise<Read> {
    const { connector, hold, held, call } = this.request;
    const { objectName, traceparent } = call;
    this.calls += 1;
    try {
      const withhold = this.withholdFurther();
      const auth = accessOf(this.live);
      const read = { auth, signal: hold.signal, held, objectName, traceparent, ids, fields, withhold };
      return { ok: true, found: (await connector.readBatch?.(read)) ?? [] };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return { ok: false, failure: toReadFailure(error) };
    }
  }

  /** A read that has its quota may become several requests, each of which takes more. */
  private withholdFurther(): () => Promise<ProviderFailure | undefined> {
    let isFirst = true;
    return () => {
      if (!isFirst) return this.takeQuota();
      isFirst = false;
      return Promise.resolve(undefined);
    };
  }

  /** The call that the intent was committed for has its quota already. */
  private async takeQuota(): Promise<ProviderFailure | undefined> {
    const answer = this.calls === 0 ? undefined : await this.request.takeQuota?.();
    return answer === undefined || answer.granted ? undefined : outOfQuota(answer.retryAfterMs);
  }

  /** Requests newer credentials once. After a replay it only finds out whether the refusal is one of the grant. */
  private async refresh(): Promise<Refreshed> {
    const { refresh } = this.request;
    if (refresh === undefined || (this.hasRefreshed && !this.isReplayed)) return { kind: 'stands' };
    this.hasRefreshed = true;
    const refreshed = await newerCredentials(refresh, this.live, this.isReplayed);
    if (refreshed.kind !== 'newer') return refreshed;
    if (this.isReplayed) return { kind: 'stands' };
    this.live = refreshed.live;
    this.isReplayed = true;
    return refreshed;
  }

  private readonly observe = (exchange: ObservedExchange): void => {
    this.exchange = exchange;
  };

  private note(records: readonly Sendable[], results: readonly RecordResult[]): readonly RecordResult[] {
    for (const [at, { index, write }] of records.entries()) if (results[at]?.ok) this.written.set(index, write.fields);
    return results;
  }
}

/** The credentials that an outcome belongs to. Holds no secret. */
export type UsedConnection = Pick<
  LiveCredentials,
  'connectionId' | 'tokenVersion' | 'status' | 'provider' | 'groupRef'
>;

export function usedOf({ connectionId, tokenVersion, status, provider, groupRef }: LiveCredentials): UsedConnection {
  return { connectionId, tokenVersion, status, provider, groupRef };
}

/** The failure of a call that the account's quota does not allow now. */
export function outOfQuota(retryAfterMs: number): ProviderFailure {
  const message = "Not sent: the customer's provider quota is used up.";
  return { class: 'quota', message, scope: 'call', retryAfterMs };
}

export function failAll(records: readonly unknown[], error: ProviderFailure): RecordResult[] {
  return records.map(() => ({ ok: false, error }));
}

/** A 401 for the whole call: nothing was written. */
function isRefused(results: readonly RecordResult[]): boolean {
  const isOfCall = ({ scope }: ProviderFailure) => scope !== 'record' || results.length === 1;
  return (
    results.length > 0 &&
    results.every((result) => !result.ok && result.error.class === 'credentials' && isOfCall(result.error))
  );
}

/** A read changes nothing, so its unknown outcome is a plain failure. A 429 concerns the lane, also that of a read. */
export function toReadFailure(error: ProviderError): ProviderFailure {
  const { triesMax } = error.meta;
  const isUncertain = error.class === 'unknown' || error.class === 'timeout';
  return {
    class: isUncertain ? 'unavailable' : error.class,
    message: error.detail,
    scope: error.class === 'quota' ? 'lane' : 'call',
    // One field that the account lacks fails the read of all records. Source: reference, 2, Salesforce.
    ...(error.class === 'rejected' && error.meta['status'] === 400 ? { mayBeOneRecord: true } : {}),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(typeof triesMax === 'number' && { triesMax }),
  };
}

/** A call with the credentials of one try, and its observer. */
interface AuthorizedCall extends CallToPerform {
  readonly auth: Auth;
  readonly observe: (exchange: ObservedExchange) => void;
}

/** One request, by the method that fits the call: single where it is one record, else the batch. @throws DefectError when the connector lacks it */
async function send(request: AuthorizedCall): Promise<readonly RecordResult[]> {
  const { call, records, connector, auth, hold, held, observe } = request;
  const { objectName, traceparent } = call;
  const base = { auth, signal: hold.signal, held, observe, objectName, traceparent, ...resendOf(request) };
  const headers = records[0]?.write.headers;
  const shared = { ...base, ...(headers === undefined ? {} : { headers }) };
  const writes = records.map(({ write }) => write);
  const [only] = writes;
  if (call.type === 'create') {
    const { findClaimed } = request;
    const create = { ...shared, ...(base.isResend && findClaimed && { findClaimed }) };
    const items = records.map(({ firstSentAt, write: { fields, associations } }) => ({
      fields,
      ...(associations && { associations }),
      ...(base.isResend && firstSentAt && { firstSentAt }),
    }));
    if (items.length === 1 && items[0] && connector.create) return [await connector.create({ ...create, ...items[0] })];
    if (connector.createBatch)
      return await connector.createBatch({ ...create, records: items, allOrNone: call.allOrNone });
  }
  if (call.type === 'update') {
    const items = writes.map(({ fields, recordId, associations }) => ({
      fields,
      recordId: recordId as string,
      ...(associations && { associations }),
    }));
    if (only && items.length === 1 && items[0] && connector.update) {
      return [await connector.update({ ...shared, ...items[0] })];
    }
    if (connector.updateBatch)
      return await connector.updateBatch({ ...shared, records: items, allOrNone: call.allOrNone });
  }
  if (call.type === 'delete' && only && writes.length === 1 && connector.delete) {
    return [await connector.delete({ ...shared, recordId: only.recordId as string })];
  }
  throw new DefectError({
    code: 'service.defect',
    detail: `${connector.provider} cannot ${call.type} ${records.length} records in one call.`,
  });
}

function resendOf({ call, records }: AuthorizedCall): MayBeResend {
  return records.some((record) => mayBeCarriedOut(record, call.attempts)) ? { isResend: true } : {};
}

/** Classes of a failure after which nothing was written. */
const notWritten = new Set(['unavailable', 'quota', 'credentials']);

/**
 * An earlier send of the record may have been carried out. Its last error is of one send only: after more of them, one without a reply may
 * be among them.
 */
function mayBeCarriedOut({ firstSentAt, lastError }: Sendable, attempts: number | undefined): boolean {
  return firstSentAt !== undefined && !(attempts === 1 && notWritten.has(lastError?.class ?? ''));
}

/** One provider call to make. */
export interface CallToPerform {
  readonly call: Pick<ClaimedCall, 'objectName' | 'type' | 'allOrNone' | 'traceparent'> &
    Partial<Pick<ClaimedCall, 'attempts'>>;
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  /** The credentials of the first call. */
  readonly live: LiveCredentials;
  /** Called once, after a 401. Absent: a 401 is final. */
  readonly refresh?: RefreshUsed;
  readonly hold: Pick<Hold, 'signal' | 'mayStillSend'>;
  /** See ProviderCall. */
  readonly held?: HeldBytes | undefined;
  /** Called before each provider call after the first: after a read. */
  readonly takeQuota?: () => Promise<QuotaAnswer>;
  /** Which of these provider ids other creates have claimed. Called before a create is sent again. Absent: none is known. */
  readonly findClaimed?: (providerIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A record with its plan read, about to be sent. */
export interface Sendable extends PendingRecord {
  readonly write: WritePlan;
}

/** Reads the stored plans of a call's records. */
export function toSendables(records: readonly PendingRecord[]): Sendable[] {
  return records.map((record) => ({ ...record, write: JSON.parse(record.plan) as WritePlan }));
}

interface Connections {
  liveCredentials(projectId: string, connectionId: string): Promise<LiveCredentials>;
}

/** Credentials as they are now: see `Installations.liveCredentials`. Undefined: the connection is gone. */
export async function findCredentials(
  installations: Connections,
  { projectId, connectionId }: ConnectionKey,
): Promise<LiveCredentials | undefined> {
  try {
    return await installations.liveCredentials(projectId, connectionId);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/**
 * Newer credentials than the ones a provider refused; undefined when there is nothing to refresh with. May throw: see
 * `Installations.refreshCredentials`, which stands behind it.
 */
export type RefreshUsed = (used: LiveCredentials, areFresh?: boolean) => Promise<LiveCredentials | undefined>;

/** What a call does after a 401: continue with newer credentials, keep the refusal, or fail as the refresh failed. */
type Refreshed =
  | { readonly kind: 'newer'; readonly live: LiveCredentials }
  | { readonly kind: 'stands' }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure };

/**
 * Requests newer credentials. A refresh that fails is the call's failure: nothing was written, and only a grant that is gone
 * is a failure of credentials.
 * @param areFresh the used ones came of a refresh just now
 */
export async function newerCredentials(
  refresh: RefreshUsed,
  used: LiveCredentials,
  areFresh = false,
): Promise<Refreshed> {
  try {
    const live = await refresh(used, areFresh);
    return live === undefined ? { kind: 'stands' } : { kind: 'newer', live };
  } catch (error) {
    // The connection is gone: so are its credentials.
    if (error instanceof NotFoundError) return { kind: 'stands' };
    if (!(error instanceof SluiceError)) throw error;
    const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
    const failureClass = error instanceof ProviderError ? error.class : 'unavailable';
    return { kind: 'failed', failure: { class: failureClass, message: error.detail, scope: 'call', ...wait } };
  }
}
