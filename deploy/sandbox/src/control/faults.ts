import { seededRandom } from './seeded-random';
import type { Fault, FaultAction, FaultRequest } from './fault';

interface Armed {
  fault: Fault;
  readonly path: RegExp | string | undefined;
  readonly random: () => number;
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

  add(request: FaultRequest): Fault {
    this.lastId += 1;
    const fault: Fault = { ...request, id: `fault-${this.lastId}`, seen: 0, hits: 0 };
    const path = request.match?.path;
    this.armed.push({
      fault,
      path: path?.startsWith('^') ? new RegExp(path) : path,
      random: seededRandom(request.seed ?? 1),
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
    for (const one of this.armed) {
      if (!isMatch(one, call)) continue;
      one.fault = { ...one.fault, seen: one.fault.seen + 1 };
      if (taken || !fires(one)) continue;
      one.fault = { ...one.fault, hits: one.fault.hits + 1 };
      taken = one.fault.action;
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
function fires({ fault, random }: Armed): boolean {
  const times = fault.times ?? (fault.probability === undefined ? 1 : 0);
  if (times !== 0 && fault.hits >= times) return false;
  if (fault.seen < (fault.match?.nth ?? 1)) return false;
  return fault.probability === undefined || random() < fault.probability;
}
