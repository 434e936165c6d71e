import { invalid, route, type Router } from '@sluice/http';
import type { Account } from '../control/account';
import type { AccountRequest } from '../control/accounts';
import type { FaultRequest } from '../control/fault';
import { allValues } from '../hubspot/computed-properties';
import type { Sandbox } from '../sandbox';
import { accountSchema, faultSchema, faultsQuery, ledgerQuery, recordsQuery, stateQuery } from './control-schemas';

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
    handle: ({ query }) => ({ body: listRecords(sandbox.accounts.get(query.account), query.object ?? 'contacts') }),
  });
  const clear = route<{ query: { account?: string; accounts?: boolean } }>({
    query: stateQuery,
    handle: ({ query }) => {
      sandbox.clear({ ...query, accounts: query.accounts ?? false });
      return {};
    },
  });
  router.get('/_sandbox/ledger', ledger);
  router.get('/_sandbox/records', records);
  router.delete('/_sandbox/state', clear);
}

function accountRoutes(sandbox: Sandbox, router: Router): void {
  const open = route<{ body: AccountRequest & { provider: 'hubspot' } }>({
    body: accountSchema,
    handle: ({ body: { provider, ...request } }) => {
      const { account, token } = sandbox.openAccount(request);
      return { status: 201, body: { account: account.name, provider, token, portalId: account.portalId } };
    },
  });
  router.post('/_sandbox/accounts', open);
  router.get('/_sandbox/accounts', route({ handle: () => ({ body: sandbox.accounts.all().map(describe) }) }));
}

function faultRoutes(sandbox: Sandbox, router: Router): void {
  const add = route<{ body: FaultRequest }>({
    body: faultSchema,
    handle: ({ body }) => {
      if (body.account !== undefined) sandbox.accounts.get(body.account);
      checkPattern(body.match?.path);
      return { status: 201, body: sandbox.faults.add(body) };
    },
  });
  const clear = route<{ query: { account?: string; id?: string } }>({
    query: faultsQuery,
    handle: ({ query }) => {
      sandbox.faults.clear(query);
      return {};
    },
  });
  router.post('/_sandbox/faults', add);
  router.get('/_sandbox/faults', route({ handle: () => ({ body: sandbox.faults.list() }) }));
  router.delete('/_sandbox/faults', clear);
}

function describe(account: Account): Record<string, unknown> {
  const { name, portalId, tokens, settings, inFlight, peakInFlight } = account;
  return { account: name, provider: 'hubspot', portalId, tokens: [...tokens], ...settings, inFlight, peakInFlight };
}

/** The contacts of an account as they are now, computed properties included. */
function listRecords(account: Account, object: string): unknown[] {
  if (object !== 'contacts') {
    throw invalid([
      { in: 'query', name: 'object', detail: 'must be contacts, the only object there is', value: object },
    ]);
  }
  return [...account.contacts.all()].map((contact) => ({ ...contact, properties: allValues(contact) }));
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

function checkPattern(path: string | undefined): void {
  if (!path?.startsWith('^')) return;
  try {
    void new RegExp(path);
  } catch {
    const detail = 'begins with ^ and is not a regular expression';
    throw invalid([{ in: 'body', name: 'match.path', detail, value: path }]);
  }
}
