import { invalid, route, type Router } from '@sluice/http';
import type { Account } from '../control/account';
import type { ShownRecord } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import type { FaultRequest } from '../control/faults';
import type { AccountRequest } from '../control/accounts';
import { ledgerQuery, recordsQuery, faultSchema, accountQuery, accountSchema } from './control-schemas';

/** Registers the control API under `/_sandbox`. It needs no token: a sandbox is for tests and never faces a network. */
export function controlRoutes(sandbox: Sandbox, router: Router): void {
  accountRoutes(sandbox, router);
  faultRoutes(sandbox, router);
  const ledger = route<{ query: { account?: string; since?: string } }>({
    query: ledgerQuery,
    handle: ({ query }) => {
      if (query.account !== undefined) sandbox.accounts.get(query.account);
      return { body: sandbox.ledger.list({ account: query.account, since: readSince(query.since) }) };
    },
  });
  const records = route<{ query: { account: string; object?: string } }>({
    query: recordsQuery,
    handle: ({ query }) => ({ body: listRecords(sandbox.accounts.get(query.account), query.object) }),
  });
  const clear = route<{ query: { account?: string } }>({
    query: accountQuery,
    handle: ({ query }) => {
      sandbox.clear(query.account);
      return {};
    },
  });
  router.get('/_sandbox/ledger', ledger);
  router.get('/_sandbox/records', records);
  router.delete('/_sandbox/state', clear);
}

/** The records of an account as they are now. Without a name, those of its first object. */
function listRecords({ imitated }: Account, object?: string): readonly ShownRecord[] {
  const names = imitated.data.objects();
  const records = imitated.data.list(object ?? names[0] ?? '');
  if (records) return records;
  throw invalid([{ in: 'query', name: 'object', detail: `must be one of ${names.join(', ')}`, value: object }]);
}

function readSince(since: string | undefined): number | Date | undefined {
  if (since === undefined) return undefined;
  if (/^\d+$/.test(since)) return Number(since);
  const moment = new Date(since);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw invalid([
    { in: 'query', name: 'since', detail: 'must be a sequence number or an ISO 8601 time', value: since },
  ]);
}

/** Scripts, lists and removes faults. */
function faultRoutes(sandbox: Sandbox, router: Router): void {
  const add = route<{ body: FaultRequest }>({
    body: faultSchema,
    handle: ({ body }) => {
      if (body.account !== undefined) sandbox.accounts.get(body.account);
      checkPattern(body.match?.path);
      checkActions(body);
      return { status: 201, body: sandbox.faults.add(body) };
    },
  });
  const clear = route<{ query: { account?: string } }>({
    query: accountQuery,
    handle: ({ query }) => {
      sandbox.faults.clear(query.account);
      return {};
    },
  });
  router.post('/_sandbox/faults', add);
  router.get('/_sandbox/faults', route({ handle: () => ({ body: sandbox.faults.list() }) }));
  router.delete('/_sandbox/faults', clear);
}

/** One of `action` and `mixture`, and shares that add up to 1 at most. */
function checkActions({ action, mixture }: FaultRequest): void {
  const refuse = (name: string, detail: string) => invalid([{ in: 'body', name, detail, value: undefined }]);
  if ((action === undefined) === (mixture === undefined)) throw refuse('action', 'is required, or else mixture');
  if (mixture === undefined) return;
  const sum = mixture.reduce((before, { share }) => before + share, 0);
  // A sum of tenths is not exact.
  if (sum > 1.000001) throw refuse('mixture', 'has shares that add up to more than 1');
}

function checkPattern(path: string | undefined): void {
  if (!path?.startsWith('^')) return;
  try {
    void new RegExp(path);
  } catch {
    const detail = 'begins with ^ and is not a regular expression';
    throw invalid([{ in: 'body', name: 'match.path', detail, value: path }]);
  }
}

/** Opens, shows and changes accounts, and ends their tokens. */
function accountRoutes(sandbox: Sandbox, router: Router): void {
  const open = route<{ body: AccountRequest }>({
    body: accountSchema,
    handle: ({ body }) => ({ status: 201, body: shown(sandbox.openAccount(body)) }),
  });
  const end = (how: 'expire' | 'revoke') =>
    route<{ params: { name: string } }>({
      handle: ({ params }) => {
        const account = sandbox.accounts.get(params.name);
        account.grant[how](sandbox.now());
        sandbox.recordGrant(account);
        return {};
      },
    });
  router.post('/_sandbox/accounts', open);
  router.get('/_sandbox/accounts', route({ handle: () => ({ body: sandbox.accounts.all().map(describe) }) }));
  router.post('/_sandbox/accounts/:name/expire-token', end('expire'));
  router.post('/_sandbox/accounts/:name/revoke', end('revoke'));
}

/** The members with which a caller uses the account. */
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
  const { settings, inFlight, grant } = account;
  const {
    accessTokens,
    standing,
    settings: { rotateRefreshTokens, refreshTokenGraceMs },
  } = grant.current;
  return {
    ...shown(account),
    tokens: accessTokens.map(([token]) => token),
    standing,
    rotateRefreshTokens,
    refreshTokenGraceMs,
    ...settings,
    inFlight,
  };
}
