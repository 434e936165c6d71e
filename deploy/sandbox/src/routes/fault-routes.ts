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
      checkActions(body);
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

/** One of `action` and `mixture`, and shares that add up to 1 at most. */
function checkActions({ action, mixture, probability }: FaultRequest): void {
  const refuse = (name: string, detail: string) => invalid([{ in: 'body', name, detail, value: undefined }]);
  if ((action === undefined) === (mixture === undefined)) throw refuse('action', 'is required, or else mixture');
  if (mixture === undefined) return;
  if (probability !== undefined) throw refuse('probability', 'goes with action; a mixture has shares');
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
