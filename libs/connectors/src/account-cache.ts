import { createHash } from 'node:crypto';
import { DependencyError } from '@sluice/errors';
import { ByteBudget, HeldBytes, heapShare, yieldToEventLoop } from '@sluice/telemetry';
import type { Auth, ProviderCall } from './requests';

/** How long the description of an account is used. Source: `Connector.describe`, "may be a minute old". */
const ttlMs = 60_000;
/**
 * Answers over all accounts, by number and by size; most have up to 100 KB. They hold the accounts that are busy now, not every installed one. If
 * 100,000 accounts write in turn, none is read again within the minute for which an answer is used. An account beyond the bounds costs a read of its
 * set-up per call, and nothing else.
 */
const entriesMax = 200;
const bytesMax = heapShare(24);

/** What a caller may use of an answer uncounted. */
const smallBytes = 1_048_576;
/** Larger answers that are in use, also when they are kept no more. Each use counts, because what is made of an answer is as large as it is. */
const inUse = new ByteBudget(heapShare(12));
const useWaitMs = 5_000;

/** Answers about one customer's account that change rarely: its objects and their fields. */
export interface AccountCache<Answer> {
  /**
   * The kept answer, else that of `load`. Simultaneous callers share one load; a failed one is not kept.
   * @param load is given the call without its signal and with a reservation of reply capacity of its own, because others wait for the same answer
   */
  get<Call extends ProviderCall>(
    call: Call,
    key: string,
    load: (shared: Shared<Call>) => Promise<Answer>,
  ): Promise<Answer>;
}

type Shared<Call extends ProviderCall> = Omit<Call, 'signal'>;

interface Entry<Answer> {
  readonly answer: Promise<Answer>;
  readonly until: number;
  /** 0 until it is there. */
  bytes: number;
}

/**
 * Bounded: the answer that was used longest ago is dropped first, and one that is larger than all of it at once. What a credential may see is a matter of its scopes,
 * so an answer is kept for one credential, by its hash: the token itself is not held.
 */
export function createAccountCache<Answer>(now: () => number = () => performance.now()): AccountCache<Answer> {
  const entries = new Map<string, Entry<Answer>>();
  let bytes = 0;
  const drop = (name: string): void => {
    bytes -= entries.get(name)?.bytes ?? 0;
    entries.delete(name);
  };
  const dropUntilWithin = (): void => {
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesMax && bytes <= bytesMax) return;
      drop(oldest);
    }
  };
  return {
    async get(call, key, load) {
      const { signal: _, ...shared } = call;
      const name = nameOf(call.auth, key);
      const kept = entries.get(name);
      const isKept = kept !== undefined && kept.until > now();
      const entry = isKept ? kept : { answer: loadApart(shared, load), until: now() + ttlMs, bytes: 0 };
      // A Map keeps the order of insertion, so taking out and putting in makes an entry the youngest.
      drop(name);
      entries.set(name, entry);
      bytes += entry.bytes;
      dropUntilWithin();
      let answer: Answer;
      try {
        answer = await entry.answer;
        if (entry.bytes === 0 && entries.get(name) === entry) {
          entry.bytes = bytesOf(answer);
          bytes += entry.bytes;
          dropUntilWithin();
        }
      } catch (error) {
        if (entries.get(name) === entry) drop(name);
        throw error;
      }
      if (isKept && call.describing) await use(answer, call.describing);
      return answer;
    },
  };
}

/** Counts for the caller who came first, until the answer is there, and counted for its use where it is used further. */
async function loadApart<Call extends Pick<ProviderCall, 'held' | 'describing'>, Answer>(
  call: Call,
  load: (shared: Call) => Promise<Answer>,
): Promise<Answer> {
  const held = call.held && new HeldBytes(...call.held.owners);
  try {
    const answer = await load({ ...call, held });
    if (call.describing) await use(answer, call.describing);
    return answer;
  } finally {
    held?.end();
  }
}

/** @throws DependencyError 503 with `Retry-After` when there is no capacity in time */
async function use(answer: unknown, describing: HeldBytes): Promise<void> {
  const bytes = bytesOf(answer);
  if (bytes <= smallBytes) return;
  // What is made of it takes as long as parsing it did.
  if (await inUse.take(bytes, performance.now() + useWaitMs, describing)) return await yieldToEventLoop();
  const bound = `large descriptions may have ${inUse.totalBytes} bytes together in this process`;
  const detail = `The account's description of the object has about ${bytes} bytes, and within ${useWaitMs / 1_000} seconds there was no memory for it: ${bound}.`;
  throw new DependencyError({ code: 'service.unavailable', detail, retryAfterMs: 2_000 });
}

function nameOf({ accessToken, workspaceRef }: Auth, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([accessToken, workspaceRef, key]))
    .digest('base64');
}

/** Of large answers, each measured once. */
const measured = new WeakMap<object, number>();

function bytesOf(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return roughBytes(answer);
  const bytes = measured.get(answer) ?? roughBytes(answer);
  measured.set(answer, bytes);
  return bytes;
}

/** What a value takes of memory, about: two bytes a character, and some words for each part. */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 16;
  const parts = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value);
  return parts.reduce((sum: number, part) => sum + roughBytes(part), 64);
}
