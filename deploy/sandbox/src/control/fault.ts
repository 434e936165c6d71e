import type { QuotaPolicy } from './imitated-provider';

/** What a fault does to the call it hits. */
export type FaultAction =
  /** Refuses for a limit in the provider's own words, instead of doing anything. */
  | ({ readonly kind: 'quota'; readonly policy?: QuotaPolicy } & AskedWait)
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
  /** Does the work, then leaves out of the reply what became of chosen inputs of a batch. */
  | { readonly kind: 'omit'; readonly inputs?: readonly number[] }
  /** Sends the caller to another address; the work is done only with `commit`. @default 302 */
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number; readonly commit?: boolean }
  /** Does the work, and replies with another content type, or compressed although nobody asked. */
  | { readonly kind: 'dress'; readonly contentType?: string; readonly encoding?: Encoding }
  /** Does the work and replies, then closes the connection once it was idle for `delayMs` (default 0), unannounced. */
  | { readonly kind: 'close-idle'; readonly delayMs?: number }
  /** Does the work and sends the head; then a blank every `delayMs` (default 1000), until the caller leaves. */
  | { readonly kind: 'drip'; readonly delayMs?: number }
  /** Does the work, then sends `bytes` of JSON (default 1 GiB) as fast as they are taken. */
  | { readonly kind: 'huge'; readonly bytes?: number }
  /** Does the work, then sends a list in a list in a list, `depth` deep (default 200000). */
  | { readonly kind: 'nested'; readonly depth?: number };

/** How a reply is compressed; `broken` says gzip and is none. */
export type Encoding = 'gzip' | 'deflate' | 'br' | 'broken';

interface ReplyShape extends AskedWait {
  /** An object is sent as JSON, a string as it is (HTML when it begins with `<`). @default the provider's body for the status */
  readonly body?: unknown;
}

/** How long a reply asks its caller to wait, and by which clock. Source: RFC 9110, sections 6.6.1 and 10.2.3. */
export interface AskedWait {
  /** Sent as `Retry-After`. @default absent */
  readonly retryAfterSeconds?: number;
  /** `date`: as the moment, by the clock of the reply, at which so many seconds are over. @default seconds */
  readonly retryAfterForm?: 'seconds' | 'date';
  /** How far the provider's clock is ahead of ours, behind where negative: `Date` says it, and a moment is by it. @default 0 */
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
  /** False leaves out of the error which input it means. @default true */
  readonly context?: boolean;
}

/** Which calls a fault looks at. */
interface FaultMatch {
  readonly method?: string;
  /** Prefix of the path without query; a regular expression when it begins with `^`. */
  readonly path?: string;
  /** Passes over the matching calls before this one. 1 is the first. @default 1 */
  readonly nth?: number;
}

/** What `POST /_sandbox/faults` takes. */
export interface FaultRequest {
  /** @default every account */
  readonly account?: string;
  readonly match?: FaultMatch;
  /** How many calls it hits; 0 for no end. @default 1, without end with `probability`, `durationMs` or `mixture` */
  readonly times?: number;
  /** Acts this long from the moment it is scripted: a storm. @default until its hits are used up */
  readonly durationMs?: number;
  /** Chance to hit a call it could hit, above 0 to 1. @default 1 */
  readonly probability?: number;
  /** Start of the random numbers behind `probability` and `mixture`. @default 1 */
  readonly seed?: number;
  /** Exactly one of `action` and `mixture` is given. */
  readonly action?: FaultAction;
  /** One draw per call chooses among these; what is left of 1 goes undisturbed. */
  readonly mixture?: readonly MixedAction[];
}

/** A part of a mixture. */
export interface MixedAction {
  /** Above 0; the shares of a mixture add up to 1 at most. */
  readonly share: number;
  readonly action: FaultAction;
}

/** A scripted fault with what it has met so far. */
export interface Fault extends FaultRequest {
  readonly id: string;
  /** Calls that matched. */
  readonly seen: number;
  /** Calls it hit. */
  readonly hits: number;
}
