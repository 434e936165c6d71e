import type { FaultAction } from '../control/fault';
import { faultReply, refusalsOf } from '../control/fault-effects';
import type { ImitatedAccount, InputRefusal, WireReply } from '../control/imitated-provider';
import type { Ending } from './ending';

/** What a fault changes about a call; without one nothing is changed. */
export interface Disturbance {
  /** Wait before the call takes effect, in milliseconds. */
  readonly beforeMs: number;
  /** Whether it takes effect at all. */
  readonly works: boolean;
  readonly refusals: ReadonlyMap<number, InputRefusal>;
  /** @param reply what the provider answers; absent when the call does not take effect */
  readonly end: (reply: WireReply | undefined) => Ending;
}

/** How long a `timeout` fault holds a connection: longer than any sensible caller waits. */
const HOLD_MS = 120_000;

const SLOW_MS = 1000;

const undisturbed: Disturbance = {
  beforeMs: 0,
  works: true,
  refusals: new Map(),
  end: (reply) => (reply ? { reply } : {}),
};

/** The meaning of each kind of fault. */
export function disturbanceOf(fault: FaultAction | undefined, account: ImitatedAccount): Disturbance {
  if (!fault) return undisturbed;
  switch (fault.kind) {
    case 'status':
    case 'quota':
      return { ...undisturbed, works: false, end: () => ({ reply: faultReply(fault, account) }) };
    case 'commit-then-status':
      return { ...undisturbed, end: () => ({ reply: faultReply(fault, account) }) };
    case 'reset-before':
      return { ...undisturbed, works: false };
    case 'commit-then-reset':
      return { ...undisturbed, end: () => ({}) };
    case 'reset-mid-reply':
      return { ...undisturbed, end: (reply) => (reply ? { reply, isHalf: true } : {}) };
    case 'partial':
      return { ...undisturbed, refusals: refusalsOf(fault) };
    case 'slow':
      return { ...undisturbed, beforeMs: fault.delayMs ?? SLOW_MS };
    default:
      return timeout(fault.delayMs ?? HOLD_MS, fault.commit ?? 'never');
  }
}

function timeout(delayMs: number, commit: 'never' | 'first' | 'last'): Disturbance {
  if (commit === 'last') return { ...undisturbed, beforeMs: delayMs, end: () => ({}) };
  return { ...undisturbed, works: commit === 'first', end: () => ({ holdMs: delayMs }) };
}
