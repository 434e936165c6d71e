import { invalid, route, type Router } from '@sluice/http';
import type { Account } from '../control/account';
import type { ShownRecord } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import { accountRoutes } from './account-routes';
import { ledgerQuery, recordsQuery, stateQuery } from './control-schemas';
import { faultRoutes } from './fault-routes';

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

/** The records of an account as they are now. Without a name, those of its first object. */
function listRecords({ imitated }: Account, object?: string): readonly ShownRecord[] {
  const names = imitated.objects();
  const records = imitated.list(object ?? names[0] ?? '');
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
