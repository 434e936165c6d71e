import { check } from '../harness/checker';
import { killDuring } from '../harness/kill-during';
import { slower, type Row } from '../harness/row';

/** F1: clients lose replies; what was accepted stays accepted, and what was not is there at most once. */
export const f1: Row = {
  id: 'F1',
  title: 'kill -9 of a gateway while writing',
  ciSize: { writes: 900, faults: 3 },
  fullSize: { writes: 20_000, faults: 30 },
  run: async (context) => {
    const { ledger, restartMs } = await killDuring(context, { victims: ['write-gateway'] });
    const verdict = await check(context, ledger);
    // A client that lost no reply would prove nothing about the gateway.
    const lostReplies = ledger.statuses.get(-1) ?? 0;
    return {
      verdict,
      numbers: { restartMs, lostReplies },
      misses: lostReplies === 0 ? ['no kill met a request'] : [],
      slow: slower({ restartMs }, 1_500),
    };
  },
};
