import { seededRandom } from './derived';
import { waitMsOf, type FaultAction } from './fault-action';
import type { ReceivedCall } from './imitated-provider';

/** Which calls a fault matches. */
interface FaultMatch {
  readonly method?: string;
  /** Prefix of the path without query; a regular expression when it begins with `^`. */
  readonly path?: string;
  /** A part of the body as it was sent: of calls that carry a certain record. */
  readonly carries?: string;
  /** Records that a call carries at least. */
  readonly recordsMin?: number;
  /** Skips the matching calls before this one. 1 is the first. @default 1 */
  readonly nth?: number;
}

/** What `POST /_sandbox/faults` takes. */
export interface FaultRequest {
  /** @default every account */
  readonly account?: string;
  readonly match?: FaultMatch;
  /** How many calls it hits; 0 is unlimited. @default 1, unlimited with `durationMs` or `mixture` */
  readonly times?: number;
  /** Acts this long from the moment it is scripted: a storm. @default until its hits are used up */
  readonly durationMs?: number;
  /** Start of the random numbers behind `mixture`. @default 1 */
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

/** A call of an account, as far as faults depend on it. */
interface FaultedCall extends Pick<ReceivedCall, 'method' | 'path' | 'bodyText'> {
  readonly account: string;
  /** Records that it carries. */
  readonly records: number;
}

/** What faults change about a call. */
interface Disturbance {
  /** The fault that acts; undefined for a call that none met. */
  readonly fault: FaultAction | undefined;
  /** Wait before the call takes effect, in milliseconds. */
  readonly waitMs: number;
}

/**
 * The scripted faults of a sandbox: the one place that decides what a call suffers. Each fault counts the calls that match it. Every
 * `slow` one that fires adds its wait; of the others the oldest that fires acts.
 */
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

  /** Removes faults: all, or those of one account. */
  clear(account?: string): void {
    this.armed = account === undefined ? [] : this.armed.filter(({ fault }) => fault.account !== account);
  }

  /** Counts a call for every fault that matches it. @returns what those that fire change about it */
  take(call: FaultedCall): Disturbance {
    const nowMs = this.now().getTime();
    let waitMs = 0;
    let fault: FaultAction | undefined;
    for (const one of this.armed) {
      if (!isMatch(one, call) || (one.endsAtMs ?? Infinity) <= nowMs) continue;
      one.fault = { ...one.fault, seen: one.fault.seen + 1 };
      const action = draw(one);
      if (!action || (fault && fault.kind !== 'slow' && action.kind !== 'slow')) continue;
      one.fault = { ...one.fault, hits: one.fault.hits + 1 };
      waitMs += waitMsOf(action);
      if (!fault || fault.kind === 'slow') fault = action;
    }
    return { fault, waitMs };
  }
}

function isMatch({ fault, path }: Armed, call: FaultedCall): boolean {
  if (fault.account !== undefined && fault.account !== call.account) return false;
  const { method, carries = '', recordsMin = 0 } = fault.match ?? {};
  if (method !== undefined && method.toUpperCase() !== call.method) return false;
  if (!call.bodyText.includes(carries) || call.records < recordsMin) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? call.path.startsWith(path) : path.test(call.path);
}

/** Draws a random number only for a call it could hit, so that a seed gives the same hits whatever `nth` is. */
function draw({ fault, random }: Armed): FaultAction | undefined {
  const { action, mixture, durationMs } = fault;
  const times = fault.times ?? (mixture || durationMs !== undefined ? 0 : 1);
  if (times !== 0 && fault.hits >= times) return undefined;
  if (fault.seen < (fault.match?.nth ?? 1)) return undefined;
  return mixture ? pick(mixture, random()) : action;
}

/** The part of a mixture that a number from 0 up to 1 falls into. */
function pick(mixture: readonly MixedAction[], drawn: number): FaultAction | undefined {
  let upTo = 0;
  return mixture.find(({ share }) => drawn < (upTo += share))?.action;
}
