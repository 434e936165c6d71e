import { seededRandom } from './derived';
import type { Fault, FaultAction, FaultRequest, MixedAction } from './fault';

interface Armed {
  fault: Fault;
  readonly path: RegExp | string | undefined;
  readonly random: () => number;
  /** In milliseconds since 1970; absent: no end. */
  readonly endsAtMs: number | undefined;
}

/** The part of a call that a fault may look at. */
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

  /** Shows a call to every fault. @returns what the one that fires does to it */
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
