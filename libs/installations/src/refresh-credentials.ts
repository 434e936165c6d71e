import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '@sluice/errors';
import type { ConnectionKey } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { LRUCache } from 'lru-cache';
import { setStatus } from './connection-status';
import { openConnection, type OpenedConnection } from './live-credentials';
import {
  assertAppThere,
  canRefresh,
  ProviderAppMissingError,
  type RefreshSource,
  requestTokens,
} from './request-tokens';
import { saveFreshTokens } from './save-tokens';

/** Longer than two token calls and the pause between them, so that no other process refreshes while the holder lives. */
const leaseMs = 30_000;
/** Wait before a refusal is trusted. A pair that another process is saving is stored by then. */
const graceMs = 2_000;
/** How often and how long another process's refresh is waited for. */
const pollMs = 100;
const waitMaxMs = 15_000;
/** A failure is reused for this long, so that a token endpoint that is down is not asked for each write. */
const failureCachedMs = 2_000;

/** Requests after which a refusal of a token that was just given is believed, and how long refusals of one connection count together. [own] */
const freshAsksMin = 4;
const freshKeptMs = 10 * 60_000;

/**
 * Newer credentials than the ones used; undefined when there are none and there is nothing to refresh with.
 * @param areFresh the used ones came of a refresh just now. A provider may need seconds until all of it takes its new token, so no other one is
 *   requested. @default false
 * @throws ProviderError `unavailable` for fresh ones, until they were refused often enough over long enough: then undefined
 */
export type RefreshCredentials = (
  projectId: string,
  connectionId: string,
  usedTokenVersion: number,
  areFresh?: boolean,
) => Promise<LiveCredentials | undefined>;

/**
 * One refresh per connection and token version, across processes: a lease in Postgres, and one flight inside a process. Invariant: the new pair is
 * saved before its first use. The one hole: a pair that the provider gave and that never reaches the save, because the reply is lost on the way or
 * the process dies with it. A provider that keeps the old refresh token in force is then simply asked again; one that rotates it refuses, and the
 * customer must connect again.
 */
export function createRefresher(source: RefreshSource): RefreshCredentials {
  // Shown before the first token is asked for.
  source.metrics?.counter('sluice_token_refreshes_total');
  const flights = new Map<string, Promise<LiveCredentials>>();
  const judge = createRefusalJudge();
  const judgeFresh = createRefusalJudge(freshKeptMs);
  const fly = (key: ConnectionKey, opened: OpenedConnection): Promise<LiveCredentials> => {
    const id = `${key.projectId}/${key.connectionId}/${opened.live.tokenVersion}`;
    const running = flights.get(id);
    if (running !== undefined) return running;
    const flight = refreshOnce({ ...source, judge }, key, opened);
    flights.set(id, flight);
    const forget = () => flights.delete(id);
    flight.then(forget, () => setTimeout(forget, failureCachedMs).unref());
    return flight;
  };
  const newerThan = async (key: ConnectionKey, usedTokenVersion: number) => {
    const opened = await openConnection(source, key);
    const isNewer = opened.live.tokenVersion > usedTokenVersion;
    if (isNewer && !opened.isExpiring) return opened.live;
    if (canRefresh(source, opened)) return await fly(key, opened);
    return isNewer ? opened.live : undefined;
  };
  // Hundreds of calls may be refused for one token at once: only one of them looks up a newer one.
  const lookups = new Map<string, Promise<LiveCredentials | undefined>>();
  return async (projectId, connectionId, usedTokenVersion, areFresh = false) => {
    if (areFresh) {
      const passing = judgeFresh(`${projectId}/${connectionId}`, freshRefused());
      if (passing) throw passing;
      return undefined;
    }
    const id = `${projectId}/${connectionId}/${usedTokenVersion}`;
    const lookup = lookups.get(id) ?? newerThan({ projectId, connectionId }, usedTokenVersion);
    lookups.set(id, lookup);
    const forget = () => lookups.delete(id);
    lookup.then(forget, forget);
    return await lookup;
  };
}

interface Refresher extends RefreshSource {
  readonly judge: JudgeRefusal;
}

/** Refreshes as the holder of the lease, or waits for its holder. */
async function refreshOnce(source: Refresher, key: ConnectionKey, opened: OpenedConnection): Promise<LiveCredentials> {
  const { tokenVersion, status } = opened.live;
  const startedAtMs = performance.now();
  for (;;) {
    const lease = await source.store.connections.takeRefreshLease({ ...key, tokenVersion }, leaseMs);
    if (lease !== undefined) return await refreshAsHolder(source, key, opened, lease);
    const { live } = await openConnection(source, key);
    if (live.tokenVersion !== tokenVersion) return live;
    if (live.status === 'bad_credentials' && status !== 'bad_credentials') {
      await assertAppThere(source, key.projectId, opened);
      throw refusedElsewhere(live);
    }
    if (performance.now() - startedAtMs > waitMaxMs) throw stillRefreshing();
    await sleep(pollMs);
  }
}

async function refreshAsHolder(
  source: Refresher,
  key: ConnectionKey,
  opened: OpenedConnection,
  lease: string,
): Promise<LiveCredentials> {
  try {
    const fresh = await askTwice(source, key, opened);
    if ('newer' in fresh) return fresh.newer;
    count(source, opened, 'refreshed');
    await source.failpoints?.hit('oauth.after_reply_before_save');
    return await saveFreshTokens(source, key, opened.live, fresh.tokens);
  } catch (error) {
    if (error instanceof ProviderError) count(source, opened, error.class === 'credentials' ? 'refused' : 'failed');
    const note = async () => {
      const isGone = error instanceof ProviderError && error.class === 'credentials';
      if (isGone || error instanceof ProviderAppMissingError) {
        await setStatus(source, key, opened.live, { after: 'bad_credentials', reason: error.detail });
      }
      await source.store.connections.releaseRefreshLease(key, lease);
    };
    // The failure is the answer, whether or not it could be noted; the lease ends by itself.
    await note().catch((noteError: unknown) => {
      source.logger.warn({ ...key, error: noteError }, 'connection.status-not-written');
    });
    throw error;
  }
}

function count(
  { metrics }: RefreshSource,
  { live }: OpenedConnection,
  result: 'refreshed' | 'refused' | 'failed',
): void {
  metrics?.counter('sluice_token_refreshes_total').inc({ provider: live.provider, result });
}

type Exchanged = { readonly tokens: Awaited<ReturnType<typeof requestTokens>> } | { readonly newer: LiveCredentials };

/** A refused refresh token may just have been rotated by another process: read it again, and ask once more, before trusting the refusal. */
async function askTwice(source: Refresher, key: ConnectionKey, opened: OpenedConnection): Promise<Exchanged> {
  try {
    return { tokens: await requestTokens(source, key.projectId, opened) };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.class !== 'credentials') throw error;
    const { status, tokenVersion } = opened.live;
    const grant = `${key.projectId}/${key.connectionId}/${tokenVersion}`;
    const passing = status === 'bad_credentials' ? undefined : source.judge(grant, error);
    if (passing) throw passing;
    await sleep(graceMs);
    const { live } = await openConnection(source, key);
    if (live.tokenVersion !== tokenVersion) return { newer: live };
    return { tokens: await requestTokens(source, key.projectId, opened) };
  }
}

function freshRefused(): ProviderError {
  const detail = 'The provider refuses the access token that it has just given.';
  return new ProviderError({ class: 'credentials', detail, meta: { triesMax: freshAsksMin } });
}

function refusedElsewhere({ provider }: LiveCredentials): ProviderError {
  return new ProviderError({ class: 'credentials', detail: `${provider} refused to refresh the access token.` });
}

function stillRefreshing(): ProviderError {
  const detail = 'The access token is being refreshed by another process, which takes longer than usual.';
  return new ProviderError({ class: 'unavailable', detail, retryAfterMs: leaseMs - waitMaxMs });
}

/** A refusal is not believed before this long. Our choice: Salesforce's refusal during another refresh passes in seconds. */
const unclearForMs = 30_000;
/** Pause before the second request; it doubles. */
const firstPauseMs = 2_000;
/** Refused grants that one process remembers, and for how long without a further refusal. Our choice. */
const grantsMax = 10_000;
const keptMs = 24 * 3_600_000;

/**
 * What a refusal counts as that does not say that the grant has ended: a failure of the moment, until it came often enough over long enough.
 * @param grant connection and token version
 * @returns undefined: it counts as the end
 */
export type JudgeRefusal = (grant: string, refusal: ProviderError) => ProviderError | undefined;

/**
 * Refusals in a row, as this process met them.
 * @param ttl how long one is remembered, in milliseconds. @default a day
 * @param now monotonic milliseconds. @default performance.now
 */
export function createRefusalJudge(ttl = keptMs, now = () => performance.now()): JudgeRefusal {
  const refusals = new LRUCache<string, { readonly sinceMs: number; readonly asks: number }>({
    max: grantsMax,
    ttl,
    perf: { now },
  });
  return (grant, refusal) => {
    const asksMin = refusal.meta['triesMax'];
    if (typeof asksMin !== 'number') return undefined;
    const { sinceMs, asks } = refusals.get(grant) ?? { sinceMs: now(), asks: 0 };
    refusals.set(grant, { sinceMs, asks: asks + 1 }, { noUpdateTTL: true });
    const leftMs = sinceMs + unclearForMs - now();
    if (asks + 1 >= asksMin && leftMs <= 0) return undefined;
    const retryAfterMs = Math.max(firstPauseMs, Math.min(firstPauseMs * 2 ** asks, leftMs));
    return new ProviderError({ class: 'unavailable', detail: refusal.detail, retryAfterMs, cause: refusal });
  };
}
