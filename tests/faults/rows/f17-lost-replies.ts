import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { accountsOf, createPaths } from './support/customers';
import { readLedger } from '../harness/provider-effects';

/** What becomes of creates that were done, a tenth each, and of a twentieth that were not, which a caller cannot distinguish. */
const mixture = [
  { share: 0.1, action: { kind: 'commit-then-reset' } },
  { share: 0.1, action: { kind: 'commit-then-status', status: 500 } },
  { share: 0.1, action: { kind: 'commit-then-status', status: 504 } },
  { share: 0.1, action: { kind: 'timeout', commit: 'first' } },
  { share: 0.05, action: { kind: 'reset-before' } },
];

/** Both providers do the work and do not say so. What can be found out is found out; the rest is called unknown. */
export const f17: Row = {
  id: 'F17',
  title: 'provider applies, then resets / 500 / 504 / times out',
  ciSize: { writes: 1_000, faults: 1 },
  fullSize: { writes: 20_000, faults: 1 },
  run: async (context) => {
    const { size, isFull, world, seed } = context;
    // A call that times out holds one of its account's four slots for the whole timeout, so there are many accounts.
    const customers = await accountsOf(world, 20);
    for (const [at, { account }] of customers.entries()) {
      await account.fault({ match: { method: 'POST', path: createPaths }, seed: seed * 100 + at, mixture });
    }
    // Auto-batched mostly: a batch is one call, and one fault.
    const mix = isFull ? { single: 4, auto: 5, batch: 1 } : { single: 1, auto: 3, batch: 0.2 };
    const ledger = await sendLoad(context, { writes: size.writes, perSecond: 400, mix, customers });
    const verdict = await check(context, ledger, { boundMs: isFull ? 600_000 : 240_000 });
    for (const { account } of customers) await account.clearFaults();
    return { verdict, ...(await faultNumbers(context, customers, ledger.sinceSeq)) };
  },
};

/** How often each kind hit; one that never did proves nothing. */
async function faultNumbers({ world }: RowContext, customers: readonly Customer[], sinceSeq: number) {
  const all = await Promise.all(customers.map(({ account }) => readLedger(world, account, sinceSeq)));
  const hits = Map.groupBy(all.flat(), ({ fault }) => fault ?? 'none');
  const kinds = [...new Set(mixture.map(({ action }) => action.kind))];
  const numbers = Object.fromEntries(kinds.map((kind) => [kind, hits.get(kind)?.length ?? 0]));
  const misses = kinds.filter((kind) => !hits.has(kind)).map((kind) => `no create met ${kind}`);
  return { numbers, misses };
}
