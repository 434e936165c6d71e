import type {
  Connector,
  FindCreated,
  FoundCreated,
  ObservedQuota,
  ProviderFailure,
  QuotaName,
} from '@sluice/connectors';
import { retryOf } from '@sluice/errors';
import type { QuotaAnswer } from '@sluice/redis';
import type { ClaimedCall } from '@sluice/store';
import { accessOf, type LiveCredentials, type WritePlan } from '@sluice/types';
import { newerCredentials, usedOf, type RefreshUsed, type Sendable, type UsedConnection } from './attempt';

/** What other creates that are not settled have sent. */
export interface SentByOthers {
  readonly fields: readonly WritePlan['fields'][];
  /** False: there are more of them. */
  readonly isWhole: boolean;
}

const nothingSent: SentByOthers = { fields: [], isWhole: true };

export interface LookupInput {
  readonly call: ClaimedCall;
  readonly connector: Connector;
  /** The credentials of the first call. */
  readonly live: LiveCredentials;
  /** Called once, after a 401. */
  readonly refresh?: RefreshUsed;
  readonly signal: AbortSignal;
  /** Called before each provider call of a lookup. Absent: nothing is counted. */
  readonly takeQuota?: (quota: QuotaName) => Promise<QuotaAnswer>;
}

/** The outcome of a lookup, in the form in which `noteOutcome` reads a call. */
export interface LookupOutcome {
  readonly results: readonly ({ readonly ok: true } | { readonly ok: false; readonly error: ProviderFailure })[];
  /** Provider calls made. */
  readonly calls: number;
  readonly used: UsedConnection;
  /** The account's burst limit, where a reply stated it. */
  readonly quota?: ObservedQuota;
}

/** What was found of each record, in their order. */
export interface CreatedLookup {
  readonly found: readonly FoundCreated[];
  readonly outcome: LookupOutcome;
}

/**
 * Looks up creates of unknown outcome at the provider. Every provider call takes quota; one that is not granted is not made,
 * and the record is looked up later. A token that is refused is refreshed once. Never throws for what a provider does.
 */
export async function lookUpCreated(
  input: LookupInput,
  records: readonly Sendable[],
  others: SentByOthers = nothingSent,
): Promise<CreatedLookup> {
  const lookup = new Lookup(input, others);
  const found = records.length === 0 ? [] : await lookup.find(records);
  return { found, outcome: lookup.outcomeOf(found) };
}

class Lookup {
  private calls = 0;
  private quota: ObservedQuota | undefined;
  private live: LiveCredentials;

  constructor(
    private readonly input: LookupInput,
    private readonly others: SentByOthers,
  ) {
    this.live = input.live;
  }

  async find(records: readonly Sendable[]): Promise<readonly FoundCreated[]> {
    const found = await this.findNow(records);
    const { refresh } = this.input;
    if (refresh === undefined || !found.some(isRefused)) return found;
    const newer = await newerCredentials(refresh, this.live);
    if (newer.kind === 'stands') return found;
    if (newer.kind === 'failed') return failRefused(found, newer.failure);
    this.live = newer.live;
    const again = await this.findNow(records);
    const fresh = again.some(isRefused) ? await newerCredentials(refresh, this.live, true) : newer;
    return fresh.kind === 'failed' ? failRefused(again, fresh.failure) : again;
  }

  outcomeOf(found: readonly FoundCreated[]): LookupOutcome {
    const results = found.flatMap((each): LookupOutcome['results'] => {
      if (each.kind !== 'cannot-look-up') return [{ ok: true }];
      return each.failure === undefined ? [] : [{ ok: false, error: each.failure }];
    });
    const quota = this.quota === undefined ? {} : { quota: this.quota };
    return { results, calls: this.calls, used: usedOf(this.live), ...quota };
  }

  private async findNow(records: readonly Sendable[]): Promise<readonly FoundCreated[]> {
    const { connector, signal, call } = this.input;
    if (connector.findCreated === undefined) return records.map(() => noLookup);
    const find: FindCreated = {
      auth: accessOf(this.live),
      signal,
      objectName: call.objectName,
      traceparent: call.traceparent,
      withhold: (quota) => this.withhold(quota),
      observe: ({ quota }) => {
        this.calls += 1;
        this.quota = quota ?? this.quota;
      },
      others: this.others.fields,
      othersAreWhole: this.others.isWhole,
      records: records.map((record) => ({ fields: record.write.fields, since: record.firstSentAt ?? new Date(0) })),
    };
    return await connector.findCreated(find);
  }

  private async withhold(quota: QuotaName): Promise<ProviderFailure | undefined> {
    const answer = await this.input.takeQuota?.(quota);
    if (answer === undefined || answer.granted) return undefined;
    const message = "Not looked for: the customer's provider quota is used up.";
    return { class: 'quota', message, scope: 'call', retryAfterMs: answer.retryAfterMs };
  }
}

const noLookup: FoundCreated = {
  kind: 'cannot-look-up',
  reason: 'the provider offers no lookup',
  consistent: false,
};

function isRefused(found: FoundCreated): boolean {
  return found.kind === 'cannot-look-up' && found.failure?.class === 'credentials';
}

/** A failed refresh is no statement about the grant, nor about whether the record can be looked up later. */
function failRefused(found: readonly FoundCreated[], refreshing: ProviderFailure): readonly FoundCreated[] {
  const failure = retryOf(refreshing.class) === 'never' ? { ...refreshing, class: 'unavailable' as const } : refreshing;
  return found.map((each) =>
    isRefused(each) ? { kind: 'cannot-look-up', consistent: each.consistent, reason: failure.message, failure } : each,
  );
}
