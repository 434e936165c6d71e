import type { FaultAction, PartialAction, RequestedWait } from '../control/faults';
import type { ImitatedAccount, InputRefusal, WireReply } from '../control/imitated-provider';

/** A fault that makes the delivery of a reply awkward. */
export type AwkwardDelivery = Extract<FaultAction, { readonly kind: 'close-idle' | 'drip' | 'huge' | 'dress' }>;

/** How a call ends on the wire. */
export interface Ending {
  /** Absent: the connection is cut without a byte, after `holdMs`. */
  readonly reply?: WireReply;
  /** Only half of the reply goes out. */
  readonly isHalf?: true;
  /** How long the connection stays open in silence. */
  readonly holdMs?: number;
  /** @default the reply goes out at once, as it is */
  readonly delivery?: AwkwardDelivery;
}

/** What a fault changes about a call. */
interface Disturbance {
  /** Wait before the call takes effect, in milliseconds. */
  readonly beforeMs: number;
  /** Whether it takes effect at all. */
  readonly works: boolean;
  readonly refusals: ReadonlyMap<number, InputRefusal>;
  /** @param reply the provider's; absent when the call does not take effect */
  readonly end: (reply: WireReply | undefined) => Ending;
}

/** How long a `timeout` fault holds a connection: longer than any sensible caller waits. */
const HOLD_MS = 120_000;

const SLOW_MS = 1000;
const NESTED_DEPTH = 200_000;

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
    case 'redirect':
      return { ...undisturbed, works: fault.commit ?? false, end: () => ({ reply: redirectReply(fault) }) };
    case 'partial':
      return { ...undisturbed, refusals: refusalsOf(fault) };
    case 'slow':
      return { ...undisturbed, beforeMs: fault.delayMs ?? SLOW_MS };
    case 'timeout':
      return timeout(fault.delayMs ?? HOLD_MS, fault.commit ?? 'never');
    default:
      return { ...undisturbed, end: (reply) => (reply ? changed(reply, fault, account) : {}) };
  }
}

type ReplyFault = AwkwardDelivery | Extract<FaultAction, { readonly kind: 'reset-mid-reply' | 'omit' | 'nested' }>;

/** The ending of a call that takes effect and whose reply is changed. */
function changed(reply: WireReply, fault: ReplyFault, account: ImitatedAccount): Ending {
  switch (fault.kind) {
    case 'reset-mid-reply':
      return { reply, isHalf: true };
    case 'omit':
      return { reply: account.without?.(reply, fault.inputs ?? [0]) ?? reply };
    case 'nested':
      return { reply: { ...reply, payload: nestedLists(fault.depth ?? NESTED_DEPTH) } };
    default:
      return { reply, delivery: fault };
  }
}

function timeout(delayMs: number, commit: 'never' | 'first' | 'last'): Disturbance {
  if (commit === 'last') return { ...undisturbed, beforeMs: delayMs, end: () => ({}) };
  return { ...undisturbed, works: commit === 'first', end: () => ({ holdMs: delayMs }) };
}

/** The inputs that a `partial` fault refuses, by position. */
function refusalsOf({ inputs = [0], category, message, context }: PartialAction): ReadonlyMap<number, InputRefusal> {
  const refusal: InputRefusal = {
    code: category,
    message: message ?? 'Refused by a fault of the sandbox',
    named: context !== false,
  };
  return new Map(inputs.map((index) => [index, refusal]));
}

type StatusAction = Extract<FaultAction, { readonly kind: 'status' | 'commit-then-status' }>;
type QuotaAction = Extract<FaultAction, { readonly kind: 'quota' }>;

/** The reply that a fault sends instead of the provider's. */
function faultReply(action: StatusAction | QuotaAction, account: ImitatedAccount): WireReply {
  const reply = action.kind === 'quota' ? account.quotaReply(action.policy ?? 'burst') : statusReply(action, account);
  return { ...reply, headers: { ...reply.headers, ...waitHeaders(action, Date.now()) } };
}

function statusReply({ status, body }: StatusAction, account: ImitatedAccount): WireReply {
  if (body === undefined) return account.statusReply(status);
  if (typeof body !== 'string') {
    return { status, headers: { 'content-type': 'application/json;charset=utf-8' }, payload: JSON.stringify(body) };
  }
  const type = body.startsWith('<') ? 'text/html' : 'text/plain';
  return { status, headers: body === '' ? {} : { 'content-type': type }, payload: body };
}

/** `Date` is always sent beside a moment, so that both are counted from the same second. */
function waitHeaders(
  { retryAfterSeconds, retryAfterForm = 'seconds', clockAheadSeconds }: RequestedWait,
  nowMs: number,
): Record<string, string> {
  const dateMs = nowMs + (clockAheadSeconds ?? 0) * 1000;
  const isMoment = retryAfterForm === 'date' && retryAfterSeconds !== undefined;
  const waitText = isMoment ? httpDate(dateMs + retryAfterSeconds * 1000) : retryAfterSeconds?.toString();
  return {
    ...(waitText !== undefined && { 'retry-after': waitText }),
    ...((isMoment || clockAheadSeconds !== undefined) && { date: httpDate(dateMs) }),
  };
}

/** IMF-fixdate, whole seconds. Source: RFC 9110, section 5.6.7. */
const httpDate = (moment: number): string => new Date(moment).toUTCString();

/** The reply of a gateway that has moved. */
function redirectReply({ status = 302, location }: Extract<FaultAction, { readonly kind: 'redirect' }>): WireReply {
  return { status, headers: { location }, payload: '' };
}

/** `[[[…]]]`, which a recursive reader does not survive. */
const nestedLists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
