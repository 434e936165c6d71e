import { check } from '../harness/checker';
import { countClaims, untilMessagesWork } from '../harness/claims';
import { mergeLedgers, unexpectedReplies, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import type { Row } from '../harness/row';

/** As fast as the gateways take them. */
const unlimited = 1_000_000;
const mix = { single: 1, auto: 1 };
/** Most writes with the broker up, before and again after: a burst as long as the one without, because a backlog slows accepting down. */
const comparedMax = 5_000;
/** Processes that were just started are slow, whatever the broker does. */
const warmingUp = 200;

/** F8: the sweeps alone do the work of the broker. */
export const f8: Row = {
  id: 'F8',
  title: 'no broker during the whole run',
  ciSize: { writes: 500, faults: 1 },
  fullSize: { writes: 20_000, faults: 1 },
  run: async (context) => {
    const { world, size } = context;
    const load = { perSecond: unlimited, mix };
    const compared = { ...load, writes: Math.min(size.writes, comparedMax) };
    const warmUp = await sendLoad(context, { ...load, writes: warmingUp, name: '-w' });
    const before = await sendLoad(context, { ...compared, name: '-b' });
    await check(context, mergeLedgers([warmUp, before]));
    const claimsBefore = await countClaims(world, 'message');
    await world.killService('kafka');
    const without = await sendLoad(context, { ...load, writes: size.writes, name: '-n' });
    const { recoveryMs } = await check(context, without);
    const claimsByMessage = (await countClaims(world, 'message')) - claimsBefore;
    await world.startService('kafka');
    await untilMessagesWork(context, 0);
    const after = await sendLoad(context, { ...compared, name: '-a' });
    const verdict = await check(context, mergeLedgers([warmUp, before, without, after]));
    const throughputRatio = Number((rateOf([without]) / rateOf([before, after])).toFixed(2));
    return {
      verdict: { ...verdict, recoveryMs },
      numbers: { throughputRatio, claimsByMessage },
      misses: [
        ...unexpectedReplies(without),
        ...(claimsByMessage > 0 ? [`${claimsByMessage} claims by message without a broker`] : []),
      ],
      slow: throughputRatio < 0.8 ? [`throughputRatio: ${throughputRatio}, wanted 0.8`] : [],
    };
  },
};

/** Accepted records in a second of sending. */
function rateOf(ledgers: readonly ClientLedger[]): number {
  const records = ledgers.reduce((sum, ledger) => sum + ledger.records.length, 0);
  const tookMs = ledgers.reduce((sum, { startedAtMs, endedAtMs }) => sum + endedAtMs - startedAtMs, 0);
  return (records * 1_000) / Math.max(1, tookMs);
}
