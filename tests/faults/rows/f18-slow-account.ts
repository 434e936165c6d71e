import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { mergeLedgers } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import type { Row } from '../harness/row';
import { accountsOf } from './support/customers';
import { compareDwell } from './support/dwell';
import { readLedger } from '../harness/provider-effects';

/** Below the call timeout of the worlds (3 s) by what a slow machine adds to a call, as the matrix's 30 s is below the default and its margin. */
const slowMs = 1_500;

/** One account takes seconds for each call and has a backlog; the others do not wait for it. */
export const f18: Row = {
  id: 'F18',
  title: 'provider slow on 1 account with a backlog of 200 and more, others fast',
  // `faults`: the backlog, four of which are done in 1.5 s. It outlasts the load of the quiet accounts: a few seconds here, five minutes of
  // the full size.
  ciSize: { writes: 400, faults: 300 },
  fullSize: { writes: 12_000, faults: 1_000 },
  run: async (context) => {
    const { world, size, isFull } = context;
    const [laggard, ...quiet] = (await accountsOf(world, 6)) as readonly [Customer, ...Customer[]];
    const load = { writes: size.writes / 2, perSecond: isFull ? 20 : 80, mix: { single: 1 }, customers: quiet };
    const calm = await sendLoad(context, { ...load, name: '-calm' });
    await laggard.account.fault({ times: 0, action: { kind: 'slow', delayMs: slowMs } });
    const backlog = await sendLoad(context, {
      writes: size.faults,
      mix: { single: 1 },
      customers: [laggard],
      name: '-backlog',
    });
    const busy = await sendLoad(context, { ...load, name: '-busy' });
    const left = size.faults - (await readLedger(world, laggard.account, backlog.sinceSeq)).length;
    await laggard.account.clearFaults();
    const verdict = await check(context, mergeLedgers([calm, backlog, busy]));
    const { numbers, slow } = await compareDwell(world, { calm, faulty: busy }, quiet);
    const misses = left > 0 ? [] : ['the backlog was gone before the quiet accounts were measured'];
    return { verdict, numbers: { ...numbers, backlogLeft: left }, misses, slow };
  },
};
