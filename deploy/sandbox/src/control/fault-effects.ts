import type { FaultAction, PartialAction } from './fault';
import type { ImitatedAccount, InputRefusal, WireReply } from './imitated-provider';

type ReplyingAction = Extract<FaultAction, { readonly status: number }>;
type QuotaAction = Extract<FaultAction, { readonly kind: 'quota' }>;

/** The reply that a fault puts in the place of the provider's. */
export function faultReply(action: ReplyingAction | QuotaAction, account: ImitatedAccount): WireReply {
  const retryAfter: Record<string, string> =
    action.retryAfterSeconds === undefined ? {} : { 'retry-after': String(action.retryAfterSeconds) };
  const reply = action.kind === 'quota' ? account.quotaReply(action.policy ?? 'burst') : shaped(action, account);
  return { ...reply, headers: { ...reply.headers, ...retryAfter } };
}

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
