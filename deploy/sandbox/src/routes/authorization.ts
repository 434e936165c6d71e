import type { Account } from '../control/account';
import type { CallContext, CallKind, ImitatedProvider, ReceivedCall, WireReply } from '../control/imitated-provider';
import { readTokenRequest } from '../control/oauth';
import type { Sandbox } from '../sandbox';

/** A call that concerns no account: nothing but its reply. Faults and limits do not apply to it. */
interface CallOfNone {
  readonly kind: CallKind;
  readonly account?: undefined;
  readonly reply: WireReply;
}

/** A call of an account: what it is and what it will do, decided before anything of it takes effect. */
export interface AccountCall {
  readonly kind: CallKind;
  readonly account: Account;
  /** The access token of the call; absent for a call of an OAuth endpoint. */
  readonly token?: string;
  /** @returns the refusal of a call whose token has ended or that is over a limit. @default never refused */
  readonly refuse?: (context: CallContext) => WireReply | undefined;
  readonly work: (context: CallContext) => WireReply;
}

export type PreparedCall = CallOfNone | AccountCall;

/** A call of an imitated OAuth endpoint; undefined for a call of the API. */
export function prepareOAuthCall(
  sandbox: Sandbox,
  provider: ImitatedProvider,
  call: ReceivedCall,
): PreparedCall | undefined {
  const { tokenPaths, authorizePath } = provider.oauth;
  if (call.method === 'POST' && tokenPaths.includes(call.path)) return tokenCall(sandbox, provider, call);
  if (call.method === 'GET' && call.path === authorizePath) return authorize(sandbox, provider, call);
  return undefined;
}

function tokenCall(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const kind = { action: 'token', records: 0 };
  const endsAt = provider.oauth.endsAt?.[call.path];
  if (endsAt !== undefined && sandbox.now() >= new Date(endsAt)) {
    return { kind, reply: { status: 410, headers: { 'content-type': 'text/html' }, payload: '<h1>Gone</h1>' } };
  }
  const request = readTokenRequest(sandbox, provider, call);
  if (!request.account) return { kind, reply: provider.refuseTokenRequest(request.refusal) };
  const { account, exchange } = request;
  const work = ({ now, settings }: CallContext): WireReply => {
    const outcome = exchange(now);
    if (typeof outcome === 'string') return provider.refuseTokenRequest(outcome);
    sandbox.recordGrant(account);
    return withMembers(account.imitated.tokenReply(outcome, call, now, settings), settings);
  };
  return { kind, account, work };
}

/** A token reply with members of the account's settings: a provider that moves an account, or sends wrong ones. */
function withMembers(reply: WireReply, { tokenMembers }: CallContext['settings']): WireReply {
  if (tokenMembers === undefined) return reply;
  const members = JSON.parse(reply.payload) as Readonly<Record<string, unknown>>;
  return { ...reply, payload: JSON.stringify({ ...members, ...tokenMembers }) };
}

const authorizing = { action: 'authorize', records: 0 };

/**
 * The page where a customer allows an app in, without the page: it redirects at once with `code`, `state` and the parameters that
 * the provider adds. The account is the one that `account` names (a parameter of the sandbox), else the first with the app's `client_id`.
 */
function authorize(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const account = findAccount(sandbox, provider, call.query);
  if (!account) return { kind: authorizing, reply: refusal('No account has an app with this client_id.') };
  const redirectUri = readRedirect(call.query.get('redirect_uri'));
  if (!redirectUri) return { kind: authorizing, reply: refusal('redirect_uri must be an http or https address.') };
  const [state, codeChallenge] = [call.query.get('state'), call.query.get('code_challenge')];
  if (codeChallenge !== null && call.query.get('code_challenge_method') !== 'S256') {
    return { kind: authorizing, reply: refusal('code_challenge_method must be S256.') };
  }
  const work = ({ now }: CallContext): WireReply => {
    const target = new URL(redirectUri);
    const isOffline = provider.oauth.isOffline?.(call.query) ?? true;
    const grant = { account, redirectUri, isOffline, ...(codeChallenge === null ? {} : { codeChallenge }) };
    target.searchParams.set('code', sandbox.codes.issue(grant, now));
    if (state !== null) target.searchParams.set('state', state);
    const more = Object.entries(provider.returnParameters?.(account.settings) ?? {});
    for (const [name, value] of more) target.searchParams.set(name, value);
    return { status: 302, headers: { location: target.href }, payload: '' };
  };
  return { kind: authorizing, account, work };
}

function findAccount(sandbox: Sandbox, provider: ImitatedProvider, query: URLSearchParams): Account | undefined {
  const [clientId, name] = [query.get('client_id'), query.get('account')];
  return sandbox.accounts
    .all()
    .filter((account) => account.provider === provider && account.grant.current.settings.app.clientId === clientId)
    .find((account) => name === null || account.name === name);
}

/** @returns the address as it was sent: the token endpoint compares it character by character */
function readRedirect(value: string | null): string | undefined {
  if (value === null || !URL.canParse(value)) return undefined;
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : undefined;
}

const refusal = (message: string): WireReply => ({
  status: 400,
  headers: { 'content-type': 'text/plain;charset=utf-8' },
  payload: message,
});
