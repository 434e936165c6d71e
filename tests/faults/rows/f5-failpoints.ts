import { failpointNames } from '@sluice/config';
import { check } from '../harness/checker';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import type { Row } from '../harness/row';
import { accountsOf } from './support/customers';
import { supervise, type Trap } from '../harness/supervise';

const gateway = { name: 'write-gateway', index: 1 } as const;
const batcher = { name: 'batcher', index: 1 } as const;
const executor = { name: 'executor', index: 1 } as const;

/**
 * The traps of each service, in the second of its instances: the first one goes on, else calls that killed three executors would be
 * quarantined, as F24 wants. A process lives for about a second; an executor gets its first calls from a sweep, two seconds after
 * its start. The token's failpoint is row F22, that of a deletion F26, that of an
 * erasure `tests/flows/project-deletion.test.ts`.
 */
const chains: readonly (readonly Trap[])[] = [
  [
    { party: gateway, name: 'gw.after_commit', probability: 0.03 },
    { party: gateway, name: 'gw.before_reply', probability: 0.03 },
    { party: gateway, name: 'pub.before_send', probability: 0.2 },
    { party: gateway, name: 'pub.after_send', probability: 0.2 },
    { party: gateway, name: 'st.after_whole', probability: 1 },
    { party: gateway, name: 'st.after_join_round', probability: 1 },
  ],
  [{ party: batcher, name: 'bt.after_seal', probability: 0.5 }],
  [
    { party: executor, name: 'ex.after_claim', probability: 0.2 },
    { party: executor, name: 'ex.after_intent', probability: 0.2 },
    { party: executor, name: 'ex.after_send_before_reply', probability: 0.2, afterMs: 8 },
    { party: executor, name: 'ex.after_reply_before_finish', probability: 0.2 },
    { party: executor, name: 'ex.after_finish', probability: 0.2 },
  ],
];
const driven = chains.flat().map(({ name }) => name);
const elsewhere = ['oauth.after_reply_before_save', 'st.after_end_round', 'st.after_erase_step'];
/** Records of one load; as many loads as the traps need, for the size's writes and these minutes at least. */
const writesPerLoad = 250;
const patienceMs = 20 * 60_000;
const perSecond = 100;
/**
 * Beside each load, at once and for one customer: synchronous writes, of which some have an idempotency key and are settled after those without, and
 * auto-batched ones of two API keys, which join the same batch in two statements.
 */
const burst = { writes: 150, perSecond: 10_000, concurrency: 150, mix: { auto: 4, sync: 1 }, keyedShare: 0.5 };
/** A dead executor holds the slots of its lanes until its leases lapse, so the next one needs other lanes to crash on. */
const accounts = 12;

/** F5: a crash of the process at every failpoint between two steps. */
export const f5: Row = {
  id: 'F5',
  title: 'a process dies at each failpoint',
  ciSize: { writes: 6_000, faults: 1 },
  fullSize: { writes: 400_000, faults: 200 },
  run: async (context) => {
    const { world, size } = context;
    const customers = await accountsOf(world, accounts);
    const { project } = world.customers[0];
    const apiKeys = [project.key, await project.createKey(['full'])];
    const over = new AbortController();
    const isOver = (): boolean => over.signal.aborted;
    const supervised = Promise.all(chains.map((traps) => supervise(world, traps, { times: size.faults, isOver })));
    const ledgers: ClientLedger[] = [];
    const begunAtMs = performance.now();
    const isDue = (round: number): boolean =>
      round * writesPerLoad < size.writes || performance.now() - begunAtMs < patienceMs;
    const sending = async (): Promise<void> => {
      for (let round = 0; !isOver() && isDue(round); round += 1) {
        const load = { writes: writesPerLoad, perSecond, customers, name: `-${round}` };
        const beside = { ...burst, apiKeys, customers: customers.slice(0, 1), name: `-${round}-burst` };
        ledgers.push(...(await Promise.all([sendLoad(context, load), sendLoad(context, beside)])));
      }
      over.abort();
    };
    const sent = sending();
    const sprung = new Map((await supervised).flatMap((each) => [...each]));
    over.abort();
    await sent;
    // One call may be in the hands of an executor at four of its five deaths, or three and a lease that a slow one let lapse.
    const verdict = await check(context, mergeLedgers(ledgers), { mayQuarantine: true });
    const missed = driven.filter((name) => (sprung.get(name) ?? 0) < size.faults);
    const unknown = failpointNames.filter((name) => !driven.includes(name) && !elsewhere.includes(name));
    return {
      verdict,
      numbers: { deaths: [...sprung.values()].reduce((sum, count) => sum + count, 0) },
      misses: [
        ...missed.map((name) => `${name} was met ${sprung.get(name) ?? 0} times`),
        ...unknown.map((name) => `${name} is driven by no row`),
      ],
    };
  },
};
