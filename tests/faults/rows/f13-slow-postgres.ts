import { setTimeout as sleep } from 'node:timers/promises';
import { limitedAs, peakBytesOf } from '../../memory/memory-limit';
import { check } from '../harness/checker';
import { unexpectedReplies } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import type { Party } from '../harness/world';
import { batchers, executors, gateways, restart } from './support/parties';

const users = [...gateways, ...batchers, ...executors];
/** Each way up to this: 200 ms ± 200 for a question and its answer. */
const slow = { jitterMs: 200 };
/** Of the links, each second. */
const resetShare = 0.1;
const mebi = 1024 * 1024;
/** Latest flush beyond its moment: each statement on its way takes part of a second, and may be cut. */
const flushLateMs = 60_000;

/** F13: every answer of the database is late and some are lost: what cannot be answered in time gets 503, within the chart's memory limits. */
export const f13: Row = {
  id: 'F13',
  title: 'Postgres slow (200 ms ± 200), 10 % of the links reset each second',
  ciSize: { writes: 100, faults: 10 },
  fullSize: { writes: 3_000, faults: 300 },
  run: async (context) => {
    const { world, size, random } = context;
    await Promise.all(users.map((party) => restart(world, party, limitedOf(party).env)));
    for (const party of users) world.link(party, 'postgres').disturb({ ...slow, random });
    const untilMs = performance.now() + size.faults * 1_000;
    const isOver = (): boolean => performance.now() >= untilMs;
    const resetting = resetLinks(context, isOver);
    const ledger = await sendLoad(context, {
      writes: size.writes,
      perSecond: Math.ceil(size.writes / size.faults),
      concurrency: gentleConcurrency,
      goesOn: () => !isOver(),
    });
    const resets = await resetting;
    for (const party of users) world.link(party, 'postgres').disturb();
    const verdict = await check(context, ledger, { flushLateMs });
    const peaks = users.map((party) => ({ party, bytes: peakBytesOf(world.pid(party) ?? 0) ?? Infinity }));
    const large = peaks.filter(({ party, bytes }) => bytes > limitedOf(party).limitBytes);
    await Promise.all(users.map((party) => restart(world, party)));
    return {
      verdict,
      numbers: {
        resets,
        refusals: ledger.statuses.get(503) ?? 0,
        peakMiB: Math.round(Math.max(...peaks.map(({ bytes }) => bytes)) / mebi),
      },
      misses: [
        ...unexpectedReplies(ledger, ({ status }) => status < 500 || status === 503),
        ...(ledger.withoutRetryAfter > 0 ? [`${ledger.withoutRetryAfter} refusals without Retry-After`] : []),
        ...large.map(({ party, bytes }) => `${party.name} ${party.index} held ${Math.round(bytes / mebi)} MiB`),
        ...(resets === 0 ? ['no link was reset'] : []),
      ],
    };
  },
};

/** The memory that the chart gives to a party. */
function limitedOf({ name }: Party): ReturnType<typeof limitedAs> {
  return limitedAs(name as Parameters<typeof limitedAs>[0]);
}

/** @returns how many links were reset */
async function resetLinks({ world, random }: RowContext, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (!isOver()) {
    await sleep(1_000);
    for (const party of users.filter(() => random() < resetShare)) {
      world.link(party, 'postgres').reset();
      count += 1;
    }
  }
  return count;
}
