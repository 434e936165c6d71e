import type { CallContext, ImitatedProvider, ReceivedCall, WireReply } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import type { PreparedCall } from './prepare-call';

/** `POST` with the form member `token`: a refresh token ends the grant, an access token its session. Source: RFC 7009, 2. */
export function revokeToken(sandbox: Sandbox, provider: ImitatedProvider, call: ReceivedCall): PreparedCall {
  const kind = { action: 'revoke', records: 0 };
  const token = new URLSearchParams(call.bodyText).get('token') ?? '';
  const account = sandbox.accounts.findByToken(token);
  if (account?.provider !== provider) return { kind, reply: provider.refuseTokenRequest('refresh-token-gone') };
  const work = ({ now }: CallContext): WireReply => {
    if (account.grant.expiryOf(token) === undefined) account.grant.revoke(now, 'revoked');
    else account.grant.expire(now);
    sandbox.recordGrant(account);
    return { status: 200, headers: {}, payload: '' };
  };
  return { kind, account, refuse: () => undefined, work };
}
