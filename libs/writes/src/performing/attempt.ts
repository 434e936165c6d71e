import type { Auth, ObservedExchange, ProviderFailure, RecordRead, RecordResult } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import { accessOf, type LiveCredentials, type WritePlan } from '@sluice/types';
import { newerCredentials } from './newer-credentials';
import type { CallToPerform, Sendable } from './sendable';
import { sendRecords } from './send-records';

/** What a read by ids showed, or why it failed. */
export type Read =
  | { readonly ok: true; readonly found: readonly RecordRead[] }
  | { readonly ok: false; readonly failure: ProviderFailure };

/**
 * One attempt's way to the provider. Every call goes through it: each one but the first takes quota, each write asks the lease, and the
 * first call that is refused for its token is made again with a refreshed one. A 401 wrote nothing, so that call alone is repeated.
 */
export class Attempt {
  /** Provider calls made, reads among them. */
  calls = 0;
  isReplayed = false;
  exchange: ObservedExchange | undefined;
  /** Fields that were written, by the index of their record. */
  readonly written = new Map<number, WritePlan['fields']>();
  private live: LiveCredentials;
  private hasAskedForNewer = false;

  constructor(readonly request: CallToPerform) {
    this.live = request.live;
  }

  /** The connection as it was used last. */
  get used(): Pick<LiveCredentials, 'connectionId' | 'tokenVersion' | 'status'> {
    const { connectionId, tokenVersion, status } = this.live;
    return { connectionId, tokenVersion, status };
  }

  /** Sends these records in one call. Never throws for what a provider does. */
  async write(records: readonly Sendable[]): Promise<readonly RecordResult[]> {
    const withheld = await this.askQuota();
    if (withheld !== undefined) return failAll(records, withheld);
    const results = await this.writeNow(records);
    if (!isRefused(results)) return this.note(records, results);
    const refusal = await this.refresh();
    if (refusal === 'stands') return results;
    if (refusal !== undefined) return failAll(records, refusal);
    return this.note(records, await this.writeNow(records));
  }

  /** Reads records by id, in one call. */
  async read(ids: readonly string[], fields: readonly string[]): Promise<Read> {
    const failure = await this.askQuota();
    if (failure !== undefined) return { ok: false, failure };
    const read = await this.readNow(ids, fields);
    if (read.ok || read.failure.class !== 'credentials') return read;
    const refusal = await this.refresh();
    if (refusal === 'stands') return read;
    return refusal === undefined ? await this.readNow(ids, fields) : { ok: false, failure: refusal };
  }

  /** Asked here, because the process may have been paused since the intent or an earlier call, and nothing has aborted it yet. */
  private async writeNow(records: readonly Sendable[]): Promise<readonly RecordResult[]> {
    if (!this.request.hold.mayStillSend()) {
      const message = 'Not sent: the lease of the call has run out.';
      return failAll(records, { class: 'unavailable', message, scope: 'call' });
    }
    this.calls += 1;
    return await sendRecords({ ...this.request, records, auth: this.auth(), observe: this.observe });
  }

  private async readNow(ids: readonly string[], fields: readonly string[]): Promise<Read> {
    const { connector, hold, held, call } = this.request;
    const { objectName, traceparent } = call;
    this.calls += 1;
    try {
      const withhold = this.withholdFurther();
      const read = { auth: this.auth(), signal: hold.signal, held, objectName, traceparent, ids, fields, withhold };
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
      if (!isFirst) return this.askQuota();
      isFirst = false;
      return Promise.resolve(undefined);
    };
  }

  /** The call that the intent was committed for has its quota already. */
  private async askQuota(): Promise<ProviderFailure | undefined> {
    const answer = this.calls === 0 ? undefined : await this.request.takeQuota?.();
    if (answer === undefined || answer.granted) return undefined;
    const message = "Not sent: the customer's provider quota is used up.";
    return { class: 'quota', message, scope: 'call', retryAfterMs: answer.retryAfterMs };
  }

  /** Undefined: there are newer credentials. `stands`: the refusal is the last word. Else what came of asking for them. */
  private async refresh(): Promise<ProviderFailure | 'stands' | undefined> {
    const { refresh } = this.request;
    if (refresh === undefined || this.hasAskedForNewer) return 'stands';
    this.hasAskedForNewer = true;
    const newer = await newerCredentials(refresh, this.live);
    if (newer === undefined) return 'stands';
    if (!newer.ok) return newer.failure;
    this.live = newer.live;
    this.isReplayed = true;
    return undefined;
  }

  private auth(): Auth {
    return accessOf(this.live);
  }

  private readonly observe = (exchange: ObservedExchange): void => {
    this.exchange = exchange;
  };

  private note(records: readonly Sendable[], results: readonly RecordResult[]): readonly RecordResult[] {
    for (const [at, { index, write }] of records.entries()) if (results[at]?.ok) this.written.set(index, write.fields);
    return results;
  }
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

/** A read changes nothing, so its unknown outcome is a plain failure. A 429 speaks of the lane, whatever was refused. */
export function toReadFailure(error: ProviderError): ProviderFailure {
  const { triesMax } = error.meta;
  const isUncertain = error.class === 'unknown' || error.class === 'timeout';
  return {
    class: isUncertain ? 'unavailable' : error.class,
    message: error.detail,
    scope: error.class === 'quota' ? 'lane' : 'call',
    // One field that the account lacks fails the read of all. Source: reference, 2, Salesforce.
    ...(error.class === 'rejected' && error.meta['status'] === 400 ? { mayBeOneRecord: true } : {}),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(typeof triesMax === 'number' && { triesMax }),
  };
}
