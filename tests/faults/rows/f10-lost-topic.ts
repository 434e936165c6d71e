import { topics } from '@sluice/messaging';
import { until } from '@sluice/testkit';
import { createTopics } from '../../harness/stack';
import { openBrokerAdmin } from '../harness/broker-admin';
import { check } from '../harness/checker';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import { untilMessagesWork } from '../harness/claims';
import type { Row, RowContext } from '../harness/row';
import type { Party } from '../harness/world';

/** Who reads which topic. Source: the consumers of batcher and executor. */
const groups = [
  { group: 'sluice-executor', topic: topics.ready.name },
  { group: 'sluice-batcher', topic: topics.autoBatched.name },
];
const readers: Party[] = [
  { name: 'executor', index: 0 },
  { name: 'executor', index: 1 },
  { name: 'batcher', index: 0 },
  { name: 'batcher', index: 1 },
];

/** Longest time until the topics are made again. */
const topicsMs = 180_000;
/** Latest flush beyond the time in which the readers are away for a rewind: then nobody can flush. */
const flushLateMs = 60_000;

/** F10: a message is a hint. Lost ones cost latency, repeated ones nothing. */
export const f10: Row = {
  id: 'F10',
  title: 'a topic is deleted; offsets are set back to the first message',
  ciSize: { writes: 400, faults: 1 },
  fullSize: { writes: 6_000, faults: 3 },
  run: async (context) => {
    const ledgers: ClientLedger[] = [];
    let awayMs = 0;
    for (let round = 0; round < context.size.faults; round += 1) {
      ledgers.push(await sendWhile(context, `-d${round}`, () => deleteTopics(context)));
      await untilMessagesWork(context, round);
      ledgers.push(await sendWhile(context, `-r${round}`, () => Promise.resolve()));
      awayMs = Math.max(awayMs, await rewind(context));
      await untilMessagesWork(context, context.size.faults + round);
    }
    const verdict = await check(context, mergeLedgers(ledgers), { flushLateMs: awayMs + flushLateMs });
    return { verdict, misses: [] };
  },
};

async function sendWhile(context: RowContext, name: string, fail: () => Promise<void>): Promise<ClientLedger> {
  const writes = Math.ceil(context.size.writes / context.size.faults / 2);
  let failing: Promise<void> | undefined;
  const onAnswer = (answered: number): void => {
    if (answered >= writes / 3) failing ??= fail();
  };
  const ledger = await sendLoad(context, { writes, onAnswer, name });
  await failing;
  return ledger;
}

async function deleteTopics({ world }: RowContext): Promise<void> {
  const brokers = world.serviceUrl('kafka');
  const admin = await openBrokerAdmin(brokers);
  await admin.deleteTopics(groups.map(({ topic }) => topic));
  await admin.close();
  // While the broker still deletes it answers late, or not at all.
  await until(
    'the topics are there again',
    () =>
      createTopics(brokers.split(',')).then(
        () => true as const,
        () => undefined,
      ),
    topicsMs,
  );
}

/** Every message of the run comes again. A group is set back while it has no member. @returns how long the readers were away */
async function rewind({ world }: RowContext): Promise<number> {
  const begunAtMs = performance.now();
  await Promise.all(readers.map((reader) => world.kill(reader, 'SIGTERM')));
  const admin = await openBrokerAdmin(world.serviceUrl('kafka'));
  for (const { group, topic } of groups) await admin.rewind(group, topic);
  await admin.close();
  await Promise.all(readers.map((reader) => world.start(reader)));
  return performance.now() - begunAtMs;
}
