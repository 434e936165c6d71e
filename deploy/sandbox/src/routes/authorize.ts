import type { Account } from '../control/account';
import type { ImitatedProvider, ReceivedCall, WireReply } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import type { PreparedCall } from './prepare-call';

const kind = { action: 'authorize', records: 0 };

/**
 * The page where a customer allows an app in, without the page: it redirects at once with `code`, `state` and what the provider adds.
 * The account is the one that `account` names (a parameter of the sandbox), else the first with the app's `client_id`.
 */
export function authorize(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const account = findAccount(sandbox, provider, call.query);
  if (!account) return { kind, reply: refusal('No account has an app with this client_id.') };
  const redirectUri = readRedirect(call.query.get('redirect_uri'));
  if (!redirectUri) return { kind, reply: refusal('redirect_uri must be an http or https address.') };
  const [state, codeChallenge] = [call.query.get('state'), call.query.get('code_challenge')];
  if (codeChallenge !== null && call.query.get('code_challenge_method') !== 'S256') {
    return { kind, reply: refusal('code_challenge_method must be S256.') };
  }
  const work = ({ now }: { readonly now: Date }): WireReply => {
    const target = new URL(redirectUri);
    const grant = { account, redirectUri, ...(codeChallenge === null ? {} : { codeChallenge }) };
    target.searchParams.set('code', sandbox.codes.issue(grant, now));
    if (state !== null) target.searchParams.set('state', state);
    const more = Object.entries(provider.returnParameters?.(account.settings) ?? {});
    for (const [name, value] of more) target.searchParams.set(name, value);
    return { status: 302, headers: { location: target.href }, payload: '' };
  };
  return { kind, account, refuse: () => undefined, work };
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
