import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createServiceProcesses } from '@sluice/local';
import { freePortBase } from '../../harness/free-port-base';
import { processEnvironment } from '../../harness/stack';
import { check } from '../harness/checker';
import { mergeLedgers, unexpectedReplies } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { buildEarlierVersion, earlierVersion } from './support/earlier-version';
import { batchers, executors, gateways } from './support/parties';

const rolled = ['write-gateway', 'batcher', 'executor'] as const;
/** The second of each kind makes room for one of the version before. */
const seconds = [gateways[1], batchers[1], executors[1]].filter((party) => party !== undefined);
const firsts = [gateways[0], batchers[0], executors[0]].filter((party) => party !== undefined);
/** Latest flush beyond its moment: batchers start and end meanwhile. */
const flushLateMs = 60_000;

/** F29: while a new version rolls out, it and the one before work on the same rows, messages and locks. */
export const f29: Row = {
  id: 'F29',
  title: 'the version before beside this one, then alone with its calls',
  ciSize: { writes: 600, faults: 1 },
  fullSize: { writes: 20_000, faults: 1 },
  cannotRun: () =>
    earlierVersion() === undefined ? 'this checkout has no history, so the version before is not there' : undefined,
  run: async (context) => {
    const { world, size } = context;
    const checkout = buildEarlierVersion(earlierVersion() ?? '');
    const portBase = await freePortBase();
    const earlier = createServiceProcesses({
      portBase,
      checkout,
      logDir: join(world.folder, 'logs-earlier'),
      env: environmentOf(context),
    });
    try {
      await Promise.all(seconds.map((party) => world.kill(party, 'SIGTERM')));
      await Promise.all(rolled.map((name) => earlier.start(name)));
      const both: [string, string] = [world.writeUrls[0], `${earlier.url('write-gateway')}/v1`];
      const load = { writes: size.writes / 2, perSecond: 100, concurrency: gentleConcurrency };
      const beside = await sendLoad({ ...context, world: { ...world, writeUrls: both } }, { ...load, name: '-both' });
      // What this version accepted and planned is carried out by the one before, as when a roll-out is taken back.
      await Promise.all(firsts.slice(1).map((party) => world.kill(party, 'SIGTERM')));
      const back = await sendLoad({ ...context, world: { ...world, writeUrls: both } }, { ...load, name: '-back' });
      const ledger = mergeLedgers([beside, back]);
      return { verdict: await check(context, ledger, { flushLateMs }), misses: unexpectedReplies(ledger) };
    } finally {
      await earlier.stop();
      await Promise.all([...seconds, ...firsts.slice(1)].map((party) => world.start(party)));
      rmSync(checkout, { recursive: true, force: true });
    }
  },
};

/** What the parties of the world get, without wires between. */
function environmentOf({ world }: RowContext): Record<string, string> {
  const addresses = { databaseUrl: world.serviceUrl('postgres'), providerUrl: world.stack.sandboxUrl };
  const own = { KAFKA_BROKERS: world.serviceUrl('kafka'), REDIS_URL: world.serviceUrl('redis') };
  return { ...processEnvironment({ timeScale: world.timeScale }, addresses), ...own };
}
