import { invalid, route, type Router } from '@sluice/http';
import type { FaultRequest } from '../control/fault';
import type { Sandbox } from '../sandbox';
import { faultSchema, faultsQuery } from './control-schemas';

/** Scripts faults, shows what they met, removes them. */
export function faultRoutes(sandbox: Sandbox, router: Router): void {
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

function checkPattern(path: string | undefined): void {
  if (!path?.startsWith('^')) return;
  try {
    void new RegExp(path);
  } catch {
    const detail = 'begins with ^ and is not a regular expression';
    throw invalid([{ in: 'body', name: 'match.path', detail, value: path }]);
  }
}
