import { createHash, timingSafeEqual } from 'node:crypto';
import type { Store } from '@sluice/store';
import type { Caller } from '@sluice/types';
import { LRUCache } from 'lru-cache';

export type FindCaller = (presented: string) => Promise<Caller | undefined>;

export interface CallerSource {
  readonly store: Pick<Store, 'apiKeys'>;
  /** The bootstrap key. Absent: there is none. */
  readonly adminKey?: string;
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: () => number;
}

/**
 * How long a key that was found stays known without asking again, counted from before the question. A revoked or
 * changed key must be out of force within 1 s on every replica (reliability notes, 4.1).
 */
const knownForMs = 900;
/** Keys in use at once; the least used is forgotten first. */
const knownMax = 10_000;

/**
 * Finds who a presented key belongs to. Unknown keys are asked for every time: a new key works at once.
 * Only digests are kept in memory.
 */
export function callerFinder(source: CallerSource): FindCaller {
  const adminDigest = source.adminKey === undefined ? undefined : digestOf(source.adminKey);
  const now = source.now ?? (() => performance.now());
  const known = new LRUCache<string, Caller, string>({
    max: knownMax,
    ttl: knownForMs,
    ttlResolution: 0,
    perf: { now },
    fetchMethod: async (_digest, _stale, { options, context: presented }) => {
      const askedAt = now();
      const caller = await findInStore(source, presented);
      options.ttl = Math.max(1, Math.floor(knownForMs - (now() - askedAt)));
      return caller;
    },
  });
  return async (presented) => {
    const digest = digestOf(presented);
    if (adminDigest && timingSafeEqual(adminDigest, digest)) return { kind: 'admin', keyId: 'admin', scopes: [] };
    return await known.fetch(digest.toString('base64'), { context: presented });
  };
}

async function findInStore(source: CallerSource, presented: string): Promise<Caller | undefined> {
  const key = await source.store.apiKeys.findPresented(presented);
  return key && { kind: 'api-key', keyId: key.key, projectId: key.projectId, scopes: key.scopes };
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
