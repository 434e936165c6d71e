import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../harness/checker';
import { unexpectedReplies } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { parties, type Party } from '../harness/world';
import { askRedis } from './support/ask-redis';
import { batchers, executors, gateways } from './support/parties';

const everyMs = { full: 5_000, ci: 2_500 };
/** How long a fault lasts that ends by itself. */
const lastsMs = 2_000;
/** Latest flush beyond its moment: Postgres and both batchers may be away in turn. */
const flushLateMs = 120_000;

type Fault = (context: RowContext, party: Party) => Promise<void>;

/** Whom each may meet. The sandbox is the truth that is compared with, and stays. */
const faults: Readonly<Record<string, { readonly who: readonly Party[]; readonly does: Fault }>> = {
  kill: {
    who: parties.filter(({ name }) => name !== 'sandbox'),
    does: async ({ world }, party) => {
      await world.kill(party, 'SIGKILL');
      await world.start(party);
    },
  },
  stop: {
    who: [...gateways, ...batchers, ...executors],
    does: async ({ world }, party) => {
      await world.kill(party, 'SIGSTOP');
      await sleep(lastsMs);
      await world.kill(party, 'SIGCONT');
    },
  },
  'slow database': {
    who: [...gateways, ...batchers, ...executors],
    does: async ({ world, random }, party) => {
      world.link(party, 'postgres').disturb({ jitterMs: 200, random });
      await sleep(lastsMs);
      world.link(party, 'postgres').disturb();
    },
  },
  'reset database': {
    who: [...gateways, ...batchers, ...executors],
    does: async ({ world }, party) => await Promise.resolve(world.link(party, 'postgres').reset()),
  },
  'no provider': {
    who: executors,
    does: async ({ world }, party) => {
      world.link(party, 'provider').cut();
      await sleep(lastsMs);
      await world.link(party, 'provider').mend();
    },
  },
  'unsure broker': {
    who: [...gateways, ...batchers, ...executors],
    does: async ({ world }, party) => {
      world.kafkaLink(party).disturb({ loseAckEvery: 2, repeatEvery: 3 });
      await sleep(lastsMs);
      world.kafkaLink(party).disturb();
    },
  },
  'empty Redis': {
    who: executors,
    does: async ({ world }) => void (await askRedis(world.serviceUrl('redis'), 'FLUSHALL')),
  },
  'crash Redis': { who: executors, does: async ({ world }) => await crash(world, 'redis') },
  'crash broker': { who: executors, does: async ({ world }) => await crash(world, 'kafka') },
  'crash database': { who: executors, does: async ({ world }) => await crash(world, 'postgres') },
};

/** F28: whatever comes next. The seed says what and whom. */
export const f28: Row = {
  id: 'F28',
  title: 'a fault drawn by lot every 5 s',
  ciSize: { writes: 500, faults: 25 },
  fullSize: { writes: 36_000, faults: 1_800 },
  run: async (context) => {
    const { size, isFull } = context;
    const untilMs = performance.now() + size.faults * 1_000;
    let isOver = false;
    const loading = sendLoad(context, {
      writes: size.writes,
      perSecond: Math.ceil(size.writes / size.faults),
      concurrency: gentleConcurrency,
      goesOn: () => !isOver,
    });
    const met = new Map<string, number>();
    try {
      while (performance.now() < untilMs) {
        const nextMs = performance.now() + (isFull ? everyMs.full : everyMs.ci);
        const [name, { who, does }] = drawn(Object.entries(faults), context.random);
        await does(context, drawn(who, context.random));
        met.set(name, (met.get(name) ?? 0) + 1);
        await sleep(Math.max(0, nextMs - performance.now()));
      }
    } finally {
      isOver = true;
    }
    const ledger = await loading;
    // Whoever kills executors at random may kill one call three times, which takes it out.
    const verdict = await check(context, ledger, { flushLateMs, mayQuarantine: true, boundMs: 600_000 });
    const count = [...met.values()].reduce((sum, each) => sum + each, 0);
    return {
      verdict,
      numbers: { faultsMet: count, kindsMet: met.size },
      misses: [
        ...unexpectedReplies(ledger, ({ status }) => status < 500 || [502, 503, 504].includes(status)),
        ...(count === 0 ? ['no fault was met'] : []),
      ],
    };
  },
};

function drawn<T>(from: readonly T[], random: () => number): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('there is nothing to draw from');
  return one;
}

async function crash(world: RowContext['world'], name: 'postgres' | 'redis' | 'kafka'): Promise<void> {
  await world.killService(name);
  await sleep(lastsMs / 2);
  await world.startService(name);
}
