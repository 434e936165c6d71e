import type { ImitatedAccount, InputRefusal, QuotaPolicy, WireReply } from './imitated-provider';

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
  /** Waits `delayMs` (default 1000), then goes on. It goes along with any other fault, and several of them add up. */
  | { readonly kind: 'slow'; readonly delayMs?: number }
  /** Refuses chosen inputs of a batch (a single write is input 0) and does the others. */
  | {
      readonly kind: 'partial';
      /** Positions of the refused inputs, from 0. @default [0] */
      readonly inputs?: readonly number[];
      /** The provider's code: HubSpot's category, Salesforce's status code. @default its code for a refused value */
      readonly category?: string;
      /** @default a sentence that names the sandbox */
      readonly message?: string;
    }
  /** Does the work, then leaves the outcome of chosen inputs of a batch out of the reply. */
  | { readonly kind: 'omit'; readonly inputs?: readonly number[] }
  /** Sends the caller to another address; the work is done only with `commit`. @default 302 */
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number; readonly commit?: boolean }
  /** Does the work, then calls a reply gzip that is not compressed. */
  | { readonly kind: 'broken-encoding' }
  /** Does the work and sends the head; then a space every `delayMs` (default 1000), until the caller leaves. */
  | { readonly kind: 'drip'; readonly delayMs?: number }
  /** Does the work, then sends a gigabyte of JSON as fast as the caller reads it. */
  | { readonly kind: 'huge' }
  /** Does the work, then sends a list in a list in a list, 200,000 deep. */
  | { readonly kind: 'nested' };

interface ReplyShape extends RequestedWait {
  /** An object is sent as JSON, a string as it is (HTML when it begins with `<`). @default the provider's body for the status */
  readonly body?: unknown;
}

/** How long a reply requests its caller to wait, and by which clock. Source: RFC 9110, sections 6.6.1 and 10.2.3. */
interface RequestedWait {
  /** Sent as `Retry-After`. @default absent */
  readonly retryAfterSeconds?: number;
  /** `date`: as the moment, by the clock of the reply, at which that many seconds have passed. @default seconds */
  readonly retryAfterForm?: 'seconds' | 'date';
  /** How far the provider's clock is ahead of ours, behind where negative: `Date` and a moment of the wait follow it. @default 0 */
  readonly clockAheadSeconds?: number;
}

/** How a call ends on the wire. */
export interface Ending {
  /** Absent: the connection is cut without a byte, after `holdMs`. */
  readonly reply?: WireReply;
  /** Only half of the reply goes out. */
  readonly isHalf?: true;
  /** How long the connection stays open in silence. */
  readonly holdMs?: number;
  /** A fault that makes the delivery awkward. @default the reply goes out at once, as it is */
  readonly delivery?: Extract<FaultAction, { readonly kind: 'drip' | 'huge' }>;
}

const SLOW_MS = 1000;

/** How long a `timeout` fault holds a connection: longer than any sensible caller waits. */
const HOLD_MS = 120_000;

/** `[[[…]]]`, which a recursive reader does not survive. */
const NESTED_DEPTH = 200_000;

/** Wait before the call takes effect, in milliseconds. */
export function waitMsOf(fault: FaultAction): number {
  if (fault.kind === 'slow') return fault.delayMs ?? SLOW_MS;
  return fault.kind === 'timeout' && fault.commit === 'last' ? (fault.delayMs ?? HOLD_MS) : 0;
}

/** Whether a call that meets the fault does its work. */
export function takesEffect(fault: FaultAction | undefined): boolean {
  switch (fault?.kind) {
    case 'status':
    case 'quota':
    case 'reset-before':
      return false;
    case 'redirect':
      return fault.commit ?? false;
    case 'timeout':
      return (fault.commit ?? 'never') !== 'never';
    default:
      return true;
  }
}

/** @param reply the provider's; absent when the call did not take effect */
export function endingOf(
  fault: FaultAction | undefined,
  reply: WireReply | undefined,
  account: ImitatedAccount,
): Ending {
  switch (fault?.kind) {
    case 'status':
    case 'quota':
    case 'commit-then-status':
      return { reply: faultReply(fault, account) };
    // The reply of a gateway that has moved.
    case 'redirect':
      return { reply: { status: fault.status ?? 302, headers: { location: fault.location }, payload: '' } };
    case 'timeout':
      return fault.commit === 'last' ? {} : { holdMs: fault.delayMs ?? HOLD_MS };
    case 'reset-before':
    case 'commit-then-reset':
      return {};
    default:
      return reply ? changed(reply, fault, account) : {};
  }
}

/** The ending of a call that takes effect and whose reply is sent, as it is or changed. */
function changed(reply: WireReply, fault: FaultAction | undefined, account: ImitatedAccount): Ending {
  switch (fault?.kind) {
    case 'reset-mid-reply':
      return { reply, isHalf: true };
    case 'omit':
      return { reply: account.without?.(reply, fault.inputs ?? [0]) ?? reply };
    case 'broken-encoding':
      return { reply: reply.payload ? { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' } } : reply };
    case 'nested':
      return { reply: { ...reply, payload: '['.repeat(NESTED_DEPTH) + ']'.repeat(NESTED_DEPTH) } };
    case 'drip':
    case 'huge':
      return { reply, delivery: fault };
    default:
      return { reply };
  }
}

/** The inputs that a `partial` fault refuses, by position. */
export function refusalsOf(fault: FaultAction | undefined): ReadonlyMap<number, InputRefusal> {
  if (fault?.kind !== 'partial') return new Map();
  const { inputs = [0], category, message = 'Refused by a fault of the sandbox' } = fault;
  return new Map(inputs.map((index) => [index, { code: category, message }]));
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
