import { route, type Router } from '@sluice/http';
import type { Account } from '../control/account';
import type { AccountRequest } from '../control/accounts';
import type { Sandbox } from '../sandbox';
import { accountSchema, revokeSchema } from './control-schemas';

/** Opens, shows and changes accounts, and ends their tokens. */
export function accountRoutes(sandbox: Sandbox, router: Router): void {
  const open = route<{ body: AccountRequest }>({
    body: accountSchema,
    handle: ({ body }) => ({ status: 201, body: shown(sandbox.openAccount(body)) }),
  });
  const expire = route<{ params: { name: string } }>({
    handle: ({ params }) => {
      const account = sandbox.accounts.get(params.name);
      account.grant.expire(sandbox.now());
      sandbox.recordGrant(account);
      return {};
    },
  });
  const revoke = route<{ params: { name: string }; query: { as?: 'revoked' | 'gone' } }>({
    query: revokeSchema,
    handle: ({ params, query }) => {
      const account = sandbox.accounts.get(params.name);
      account.grant.revoke(sandbox.now(), query.as ?? 'revoked');
      sandbox.recordGrant(account);
      return {};
    },
  });
  router.post('/_sandbox/accounts', open);
  router.get('/_sandbox/accounts', route({ handle: () => ({ body: sandbox.accounts.all().map(describe) }) }));
  router.post('/_sandbox/accounts/:name/expire-token', expire);
  router.post('/_sandbox/accounts/:name/revoke', revoke);
}

/** What a caller needs to use the account. */
function shown({ name, provider, imitated, grant }: Account): Record<string, unknown> {
  const { accessToken: token, refreshToken } = grant;
  return {
    account: name,
    provider: provider.name,
    token,
    refreshToken,
    ...grant.current.settings.app,
    ...imitated.identity,
  };
}

function describe(account: Account): Record<string, unknown> {
  const { settings, inFlight, peakInFlight, grant } = account;
  const {
    accessTokens,
    standing,
    settings: { rotateRefreshTokens, refreshTokenGraceMs, tokenLifetimeSeconds },
  } = grant.current;
  return {
    ...shown(account),
    tokens: accessTokens.map(([token]) => token),
    standing,
    rotateRefreshTokens,
    refreshTokenGraceMs,
    ...(tokenLifetimeSeconds === undefined ? {} : { tokenLifetimeSeconds }),
    ...settings,
    inFlight,
    peakInFlight,
  };
}
