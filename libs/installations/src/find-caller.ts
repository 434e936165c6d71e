import { hash, timingSafeEqual } from 'node:crypto';
import type { Store } from '@sluice/store';
import type { Caller } from '@sluice/types';
import { LRUCache } from 'lru-cache';
import { isToken } from './parse-token';
import { findSigningKey, verifyToken, type SigningKey } from './verify-token';

/** A caller who is known is given at once. */
export type FindCaller = (presented: string) => Caller | undefined | Promise<Caller | undefined>;

export interface CallerSource {
  readonly store: Pick<Store, 'apiKeys' | 'jwtKeys'>;
  /** The bootstrap key. Absent: there is none. */
  readonly adminKey?: string;
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Milliseconds since 1970, for the times of tokens. @default Date.now */
  readonly wallClock?: () => number;
}

/**
 * How long a key that was found stays known without asking again, counted from before the question. A revoked or
 * changed key must be out of force within 1 s on every replica.
 */
const knownForMs = 900;
/** Keys in use at once; the least used is forgotten first. */
const knownMax = 10_000;

/**
 * Finds who a presented API key or bearer token belongs to. Unknown keys are asked for every time: a new key works at
 * once. Only digests are kept in memory. A token that breaks a rule is an AuthError that names it.
 */
export function callerFinder(source: CallerSource): FindCaller {
  const { store, adminKey, wallClock = Date.now } = source;
  const adminDigest = adminKey === undefined ? undefined : Buffer.from(digestOf(adminKey));
  const isAdmin = (digest: string): boolean =>
    adminDigest !== undefined && timingSafeEqual(adminDigest, Buffer.from(digest));
  const now = source.now ?? (() => performance.now());
  const apiKeys = shortMemory<Caller, string>(now, (_digest, presented) => findInStore(store, presented));
  const signingKeys = shortMemory<SigningKey, void>(now, (keyId) => findSigningKey(store, keyId));
  return (presented) => {
    const digest = digestOf(presented);
    const known = apiKeys.get(digest);
    if (known !== undefined) return known;
    if (isAdmin(digest)) return { kind: 'admin', keyId: 'admin', scopes: [] };
    if (isToken(presented)) return verifyToken(presented, (keyId) => signingKeys.fetch(keyId), wallClock());
    return apiKeys.fetch(digest, { context: presented });
  };
}

/** What was found, for `knownForMs`; several who ask at once share one question. */
function shortMemory<Found extends object, Context>(
  now: () => number,
  find: (key: string, context: Context) => Promise<Found | undefined>,
): LRUCache<string, Found, Context> {
  return new LRUCache<string, Found, Context>({
    max: knownMax,
    ttl: knownForMs,
    ttlResolution: 0,
    perf: { now },
    // A full memory may evict what is being asked for: whoever waits for it has his answer all the same.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context }) => {
      const askedAt = now();
      const found = await find(key, context);
      options.ttl = Math.max(1, Math.floor(knownForMs - (now() - askedAt)));
      return found;
    },
  });
}

async function findInStore({ apiKeys }: Pick<Store, 'apiKeys'>, presented: string): Promise<Caller | undefined> {
  const key = await apiKeys.findPresented(presented);
  return key && { kind: 'api-key', keyId: key.key, projectId: key.projectId, scopes: key.scopes };
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}
