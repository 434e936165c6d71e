import type { Account } from '../control/account';
import type { CallContext, CallKind, ImitatedProvider, ReceivedCall, WireReply } from '../control/imitated-provider';
import { readTokenRequest } from '../control/token-endpoint';
import type { Sandbox } from '../sandbox';
import { authorize } from './authorize';
import { revokeToken } from './revoke-token';

/** A call that concerns no account: nothing but its reply. Faults, limits and latency do not meet it. */
interface StrayCall {
  readonly kind: CallKind;
  readonly account?: undefined;
  readonly reply: WireReply;
}

/** A call of an account: what it is and what it will do, decided before anything of it takes effect. */
export interface AccountCall {
  readonly kind: CallKind;
  readonly account: Account;
  /** The access token that the call is made with; absent for a token request. */
  readonly token?: string;
  /** @returns the refusal of a call whose token has ended or that is over a limit */
  readonly refuse: (context: CallContext) => WireReply | undefined;
  readonly work: (context: CallContext) => WireReply;
}

export type PreparedCall = StrayCall | AccountCall;

/** Tells token requests, authorisations and API calls apart. */
export function prepareCall(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const { tokenPaths, authorizePath } = provider.oauth;
  if (call.method === 'POST' && tokenPaths.includes(call.path)) return tokenCall(sandbox, provider, call);
  if (call.method === 'POST' && call.path === provider.oauth.revokePath) return revokeToken(sandbox, provider, call);
  if (call.method === 'GET' && call.path === authorizePath) return authorize(sandbox, provider, call);
  return apiCall(sandbox, provider, call);
}

function tokenCall(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const kind = { action: 'token', records: 0 };
  const request = readTokenRequest(sandbox, provider, call);
  if (!request.account) return { kind, reply: provider.refuseTokenRequest(request.refusal) };
  const { account, exchange } = request;
  const work = ({ now, settings }: CallContext): WireReply => {
    const outcome = exchange(now);
    if (typeof outcome === 'string') return provider.refuseTokenRequest(outcome);
    sandbox.recordGrant(account);
    return withMembers(account.imitated.tokenReply(outcome, call, now, settings), settings);
  };
  return { kind, account, refuse: () => undefined, work };
}

/** A token reply that says something else as well: a provider that moves an account, or one that lies. */
function withMembers(reply: WireReply, { tokenMembers }: CallContext['settings']): WireReply {
  if (tokenMembers === undefined) return reply;
  const members = JSON.parse(reply.payload) as Readonly<Record<string, unknown>>;
  return { ...reply, payload: JSON.stringify({ ...members, ...tokenMembers }) };
}

function apiCall(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const token = (provider.tokenOf ? provider.tokenOf(call) : bearerOf(call)) ?? '';
  const account = sandbox.accounts.findByToken(token);
  const expiry = account?.provider === provider ? account.grant.expiryOf(token) : undefined;
  const kind = provider.callKind(call);
  if (!account || expiry === undefined) return { kind, reply: provider.refuseBearer('unknown', sandbox.now(), call) };
  return {
    kind,
    account,
    token,
    refuse: (context) =>
      expiry !== null && expiry <= context.now
        ? provider.refuseBearer({ expiredAt: expiry }, context.now, call)
        : account.imitated.admit(call, context),
    work: (context) => account.imitated.answer(call, context),
  };
}

function bearerOf({ headers }: ReceivedCall): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}
