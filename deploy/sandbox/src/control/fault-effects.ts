import type { AskedWait, FaultAction, PartialAction } from './fault';
import type { ImitatedAccount, InputRefusal, WireReply } from './imitated-provider';

type ReplyingAction = Extract<FaultAction, { readonly status: number }>;
type QuotaAction = Extract<FaultAction, { readonly kind: 'quota' }>;

/** The reply that a fault puts in the place of the provider's. */
export function faultReply(action: ReplyingAction | QuotaAction, account: ImitatedAccount): WireReply {
  const reply = action.kind === 'quota' ? account.quotaReply(action.policy ?? 'burst') : shaped(action, account);
  return { ...reply, headers: { ...reply.headers, ...waitHeaders(action, Date.now()) } };
}

/** `Date` is always said where a moment is: the second that both are counted from is one and the same then. */
function waitHeaders(
  { retryAfterSeconds, retryAfterForm = 'seconds', clockAheadSeconds }: AskedWait,
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
export function redirectReply(action: Extract<FaultAction, { readonly kind: 'redirect' }>): WireReply {
  return { status: action.status ?? 302, headers: { location: action.location }, payload: '' };
}

/** `[[[…]]]`, which a reader that calls itself does not survive. */
export const nestedLists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** The inputs that a `partial` fault refuses, by position. */
export function refusalsOf(action: PartialAction): ReadonlyMap<number, InputRefusal> {
  const refusal: InputRefusal = {
    code: action.category,
    message: action.message ?? 'Refused by a fault of the sandbox',
    named: action.context !== false,
  };
  return new Map((action.inputs ?? [0]).map((index) => [index, refusal]));
}

function shaped({ status, body }: ReplyingAction, account: ImitatedAccount): WireReply {
  if (body === undefined) return account.statusReply(status);
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: payload === '' ? {} : { 'content-type': typeOf(body) }, payload };
}

function typeOf(body: unknown): string {
  if (typeof body !== 'string') return 'application/json;charset=utf-8';
  return body.startsWith('<') ? 'text/html' : 'text/plain';
}
