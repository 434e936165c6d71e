import { createHash } from 'node:crypto';
import type { Auth } from './requests';

/** How long an answer about an account's own set-up is used. Source: `Connector.describe`, "may be a minute old". */
const ttlMs = 60_000;
/**
 * Answers over all accounts. Ours: at about 100 KB each at most they take 20 MB of a process that may have 512 MB, beside other caches.
 * That holds the accounts which are busy now, not all that are installed: of 100,000 that write in turn none would ask again within the
 * minute that an answer is good for. An account beyond the bound costs a read of its set-up per call, and nothing else.
 */
const entriesMax = 200;

/** Answers about one customer's account that change rarely: its objects and their fields. */
export interface AccountCache<Answer> {
  /**
   * The kept answer, else that of `load`. Callers who ask at the same time share one load; a failed one is not kept.
   * `load` must not end with one caller's signal, because others wait for it too.
   */
  get(auth: Auth, key: string, load: () => Promise<Answer>): Promise<Answer>;
}

interface Entry<Answer> {
  readonly answer: Promise<Answer>;
  readonly until: number;
}

/**
 * Bounded: the answer that was asked for longest ago goes first. What a credential may see is a matter of its scopes,
 * so an answer is kept for one credential, by its hash: the token itself is not held.
 */
export function createAccountCache<Answer>(now: () => number = () => performance.now()): AccountCache<Answer> {
  const entries = new Map<string, Entry<Answer>>();
  return {
    async get(auth, key, load) {
      const name = nameOf(auth, key);
      const kept = entries.get(name);
      const entry = kept && kept.until > now() ? kept : { answer: load(), until: now() + ttlMs };
      // A Map keeps the order of insertion, so taking out and putting in makes an entry the youngest.
      entries.delete(name);
      entries.set(name, entry);
      const [oldest] = entries.keys();
      if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
      try {
        return await entry.answer;
      } catch (error) {
        if (entries.get(name) === entry) entries.delete(name);
        throw error;
      }
    },
  };
}

function nameOf({ accessToken, workspaceRef }: Auth, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([accessToken, workspaceRef, key]))
    .digest('base64');
}
