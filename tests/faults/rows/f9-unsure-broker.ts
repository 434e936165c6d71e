import { topics } from '@sluice/messaging';
import { openBrokerAdmin } from '../harness/broker-admin';
import { check } from '../harness/checker';
import { unexpectedReplies } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import { untilMessagesWork } from '../harness/claims';
import type { Row, RowContext } from '../harness/row';
import { batchers, executors, gateways } from './support/parties';

/** Who announces. One message in so many is appended and not acknowledged, and another one is appended twice. */
const announcing = [...gateways, ...batchers, ...executors];
const fault = { loseAckEvery: 5, repeatEvery: 4 };
/** Source: fault matrix, F9. Joining and leaving are one each. */
const rebalancesPerMinute = 20;
/** Who reads which topic. Source: the consumers of batcher and executor. */
const groups = [
  { group: 'sluice-executor', topic: topics.ready.name },
  { group: 'sluice-batcher', topic: topics.autoBatched.name },
];

/** F9: a message may be announced twice, unknown to its sender, and be taken from its reader: nothing happens twice. */
export const f9: Row = {
  id: 'F9',
  title: 'acknowledgements lost after the append, repeated messages, forced rebalances',
  ciSize: { writes: 270, faults: 12 },
  fullSize: { writes: 30_000, faults: 600 },
  run: async (context) => {
    const { world, size } = context;
    const before = countOf(context);
    for (const party of announcing) world.kafkaLink(party).disturb(fault);
    const untilMs = performance.now() + size.faults * 1_000;
    const isOver = (): boolean => performance.now() >= untilMs;
    const rebalancing = rebalance(world.serviceUrl('kafka'), isOver);
    const perSecond = Math.ceil(size.writes / size.faults);
    const ledger = await sendLoad(context, {
      writes: size.writes,
      perSecond,
      concurrency: gentleConcurrency,
      goesOn: () => !isOver(),
    });
    const rebalances = await rebalancing;
    for (const party of announcing) world.kafkaLink(party).disturb();
    await untilMessagesWork(context, 0);
    const verdict = await check(context, ledger);
    const after = countOf(context);
    const numbers = {
      lostAcks: after.lostAcks - before.lostAcks,
      repeats: after.repeats - before.repeats,
      rebalances,
    };
    const perMinute = (rebalances * 60) / size.faults;
    return {
      verdict,
      numbers,
      misses: [
        ...unexpectedReplies(ledger),
        ...Object.entries(numbers).flatMap(([what, count]) => (count === 0 ? [`no fault was met: ${what}`] : [])),
      ],
      slow: perMinute < rebalancesPerMinute ? [`rebalances: ${perMinute} in a minute, wanted 20`] : [],
    };
  },
};

function countOf({ world }: RowContext): { lostAcks: number; repeats: number } {
  const counts = announcing.map((party) => world.kafkaLink(party).counts());
  return {
    lostAcks: counts.reduce((sum, { lostAcks }) => sum + lostAcks, 0),
    repeats: counts.reduce((sum, { repeats }) => sum + repeats, 0),
  };
}

/** Lets one group after the other share its partitions anew, until it is over. @returns how often */
async function rebalance(brokers: string, isOver: () => boolean): Promise<number> {
  const admin = await openBrokerAdmin(brokers);
  let count = 0;
  for (let at = 0; !isOver(); at += 1) {
    const { group, topic } = groups[at % groups.length] ?? { group: '', topic: '' };
    await admin.rebalance(group, topic);
    count += 2;
  }
  await admin.close();
  return count;
}
