import { seededRandom } from './derived';
import type { QuotaPolicy } from './imitated-provider';

/** What a fault does to the call it hits. */
export type FaultAction =
  /** Refuses for a limit in the provider's own form, instead of doing anything. */
  | ({ readonly kind: 'quota'; readonly policy?: QuotaPolicy } & RequestedWait)
  /** Answers with `status` instead of doing anything. */
  | ({ readonly kind: 'status'; readonly status: number } & ReplyShape)
  /** Does the work, then answers with `status`. */
  | ({ readonly kind: 'commit-then-status'; readonly status: number } & ReplyShape)
  /** Cuts the connection instead of doing anything. */
  | { readonly kind: 'reset-before' }
  /** Does the work, then cuts the connection before a byte of the reply. */
  | { readonly kind: 'commit-then-reset' }
  /** Does the work, sends half of the reply, then cuts the connection. */
  | { readonly kind: 'reset-mid-reply' }
  /**
   * Holds the connection for `delayMs` (default 120000), then cuts it. The work is done never (default),
   * `first`, or `last`: after the wait, also when the caller has left by then.
   */
  | { readonly kind: 'timeout'; readonly delayMs?: number; readonly commit?: 'never' | 'first' | 'last' }
  /** Waits `delayMs` (default 1000), then goes on as usual. */
  | { readonly kind: 'slow'; readonly delayMs?: number }
  /** Refuses chosen inputs of a batch (a single write is input 0) and does the others. */
  | PartialAction
  /** Does the work, then leaves the outcome of chosen inputs of a batch out of the reply. */
  | { readonly kind: 'omit'; readonly inputs?: readonly number[] }
  /** Sends the caller to another address; the work is done only with `commit`. @default 302 */
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number; readonly commit?: boolean }
  /** Does the work, and replies with another content type, or compressed although the caller does not accept it. */
  | { readonly kind: 'dress'; readonly contentType?: string; readonly encoding?: Encoding }
  /** Does the work and replies, then closes the connection once it was idle for `delayMs` (default 0), unannounced. */
  | { readonly kind: 'close-idle'; readonly delayMs?: number }
  /** Does the work and sends the head; then a space every `delayMs` (default 1000), until the caller leaves. */
  | { readonly kind: 'drip'; readonly delayMs?: number }
  /** Does the work, then sends `bytes` of JSON (default 1 GiB) as fast as the caller reads them. */
  | { readonly kind: 'huge'; readonly bytes?: number }
  /** Does the work, then sends a list in a list in a list, `depth` deep (default 200000). */
  | { readonly kind: 'nested'; readonly depth?: number };

/** How a reply is compressed; `broken` declares gzip and is not compressed. */
export type Encoding = 'gzip' | 'deflate' | 'br' | 'broken';

interface ReplyShape extends RequestedWait {
  /** An object is sent as JSON, a string as it is (HTML when it begins with `<`). @default the provider's body for the status */
  readonly body?: unknown;
}

/** How long a reply requests its caller to wait, and by which clock. Source: RFC 9110, sections 6.6.1 and 10.2.3. */
export interface RequestedWait {
  /** Sent as `Retry-After`. @default absent */
  readonly retryAfterSeconds?: number;
  /** `date`: as the moment, by the clock of the reply, at which that many seconds have passed. @default seconds */
  readonly retryAfterForm?: 'seconds' | 'date';
  /** How far the provider's clock is ahead of ours, behind where negative: `Date` and a moment of the wait follow it. @default 0 */
  readonly clockAheadSeconds?: number;
}

export interface PartialAction {
  readonly kind: 'partial';
  /** Positions of the refused inputs, from 0. @default [0] */
  readonly inputs?: readonly number[];
  /** The provider's code: HubSpot's category, Salesforce's status code. @default its code for a refused value */
  readonly category?: string;
  /** @default a sentence that names the sandbox */
  readonly message?: string;
  /** False leaves out of the error which input it is about. @default true */
  readonly context?: boolean;
}

/** Which calls a fault matches. */
interface FaultMatch {
  readonly method?: string;
  /** Prefix of the path without query; a regular expression when it begins with `^`. */
  readonly path?: string;
  /** Skips the matching calls before this one. 1 is the first. @default 1 */
  readonly nth?: number;
}

/** What `POST /_sandbox/faults` takes. */
export interface FaultRequest {
  /** @default every account */
  readonly account?: string;
  readonly match?: FaultMatch;
  /** How many calls it hits; 0 is unlimited. @default 1, unlimited with `probability`, `durationMs` or `mixture` */
  readonly times?: number;
  /** Acts this long from the moment it is scripted: a storm. @default until its hits are used up */
  readonly durationMs?: number;
  /** Chance to hit a call it could hit, above 0 to 1. @default 1 */
  readonly probability?: number;
  /** Start of the random numbers behind `probability` and `mixture`. @default 1 */
  readonly seed?: number;
  /** Exactly one of `action` and `mixture` is given. */
  readonly action?: FaultAction;
  /** One draw per call chooses among these; the rest of 1 is undisturbed. */
  readonly mixture?: readonly MixedAction[];
}

/** A part of a mixture. */
export interface MixedAction {
  /** Above 0; the shares of a mixture add up to 1 at most. */
  readonly share: number;
  readonly action: FaultAction;
}

/** A scripted fault with its counts so far. */
export interface Fault extends FaultRequest {
  readonly id: string;
  /** Calls that matched. */
  readonly seen: number;
  /** Calls it hit. */
  readonly hits: number;
}

interface Armed {
  fault: Fault;
  readonly path: RegExp | string | undefined;
  readonly random: () => number;
  /** In milliseconds since 1970; absent: never. */
  readonly endsAtMs: number | undefined;
}

/** The part of a call that a fault may match. */
export interface FaultedCall {
  readonly account: string;
  readonly method: string;
  readonly path: string;
}

/** The scripted faults of a sandbox. Each counts the calls that match it; the oldest that fires wins. */
export class Faults {
  private armed: Armed[] = [];
  private lastId = 0;

  constructor(private readonly now: () => Date = () => new Date()) {}

  add(request: FaultRequest): Fault {
    this.lastId += 1;
    const fault: Fault = { ...request, id: `fault-${this.lastId}`, seen: 0, hits: 0 };
    const path = request.match?.path;
    this.armed.push({
      fault,
      path: path?.startsWith('^') ? new RegExp(path) : path,
      random: seededRandom(request.seed ?? 1),
      endsAtMs: request.durationMs === undefined ? undefined : this.now().getTime() + request.durationMs,
    });
    return fault;
  }

  list(): readonly Fault[] {
    return this.armed.map(({ fault }) => fault);
  }

  /** Removes faults: all, those of one account, or one by id. */
  clear(which: { readonly account?: string | undefined; readonly id?: string | undefined } = {}): void {
    this.armed = this.armed.filter(
      ({ fault }) =>
        (which.account !== undefined && fault.account !== which.account) ||
        (which.id !== undefined && fault.id !== which.id),
    );
  }

  /** Counts a call for every fault that matches it. @returns the action of the one that fires */
  take(call: FaultedCall): FaultAction | undefined {
    let taken: FaultAction | undefined;
    const nowMs = this.now().getTime();
    for (const one of this.armed) {
      if (!isMatch(one, call) || (one.endsAtMs ?? Infinity) <= nowMs) continue;
      one.fault = { ...one.fault, seen: one.fault.seen + 1 };
      const action = taken ? undefined : draw(one);
      if (!action) continue;
      one.fault = { ...one.fault, hits: one.fault.hits + 1 };
      taken = action;
    }
    return taken;
  }
}

function isMatch({ fault, path }: Armed, call: FaultedCall): boolean {
  if (fault.account !== undefined && fault.account !== call.account) return false;
  if (fault.match?.method !== undefined && fault.match.method.toUpperCase() !== call.method) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? call.path.startsWith(path) : path.test(call.path);
}

/** Draws a random number only for a call it could hit, so that a seed gives the same hits whatever `nth` is. */
function draw({ fault, random }: Armed): FaultAction | undefined {
  const { action, mixture, probability } = fault;
  const times = fault.times ?? (isLasting(fault) ? 0 : 1);
  if (times !== 0 && fault.hits >= times) return undefined;
  if (fault.seen < (fault.match?.nth ?? 1)) return undefined;
  if (mixture) return pick(mixture, random());
  return probability === undefined || random() < probability ? action : undefined;
}

const isLasting = ({ probability, durationMs, mixture }: FaultRequest): boolean =>
  [probability, durationMs, mixture].some((given) => given !== undefined);

/** The part of a mixture that a number from 0 up to 1 falls into. */
function pick(mixture: readonly MixedAction[], drawn: number): FaultAction | undefined {
  let upTo = 0;
  return mixture.find(({ share }) => drawn < (upTo += share))?.action;
}
