import type { FaultAction } from '../control/fault';
import { faultReply, nestedLists, redirectReply, refusalsOf } from '../control/fault-effects';
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
const HUGE_BYTES = 1024 ** 3;
const NESTED_DEPTH = 200_000;

type OddKind = 'redirect' | 'omit' | 'dress' | 'close-idle' | 'drip' | 'huge' | 'nested';
type OddFault = Extract<FaultAction, { readonly kind: OddKind }>;

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
    case 'timeout':
      return timeout(fault.delayMs ?? HOLD_MS, fault.commit ?? 'never');
    default:
      return odd(fault, account);
  }
}

/** Faults that let the call take effect and make its reply hard to read. */
function odd(fault: OddFault, account: ImitatedAccount): Disturbance {
  const answering = (change: (reply: WireReply) => Ending): Disturbance => ({
    ...undisturbed,
    end: (reply) => (reply ? change(reply) : {}),
  });
  switch (fault.kind) {
    case 'redirect':
      return { ...undisturbed, works: fault.commit ?? false, end: () => ({ reply: redirectReply(fault) }) };
    case 'omit':
      return answering((reply) => ({ reply: account.without?.(reply, fault.inputs ?? [0]) ?? reply }));
    case 'dress':
      return answering((reply) => dressed(reply, fault));
    case 'close-idle':
      return answering((reply) => ({ reply, manner: { kind: 'close-idle', delayMs: fault.delayMs ?? 0 } }));
    case 'drip':
      return answering((reply) => ({ reply, manner: { kind: 'drip', everyMs: fault.delayMs ?? SLOW_MS } }));
    case 'huge':
      return answering((reply) => ({ reply, manner: { kind: 'huge', bytes: fault.bytes ?? HUGE_BYTES } }));
    default:
      return answering((reply) => ({ reply: { ...reply, payload: nestedLists(fault.depth ?? NESTED_DEPTH) } }));
  }
}

function timeout(delayMs: number, commit: 'never' | 'first' | 'last'): Disturbance {
  if (commit === 'last') return { ...undisturbed, beforeMs: delayMs, end: () => ({}) };
  return { ...undisturbed, works: commit === 'first', end: () => ({ holdMs: delayMs }) };
}

function dressed(
  reply: WireReply,
  { contentType, encoding }: Extract<FaultAction, { readonly kind: 'dress' }>,
): Ending {
  const headers = contentType === undefined ? reply.headers : { ...reply.headers, 'content-type': contentType };
  return { reply: { ...reply, headers }, ...(encoding && { manner: { kind: 'encoded', encoding } }) };
}
