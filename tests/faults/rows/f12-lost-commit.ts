import { check } from '../harness/checker';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import { query } from '../harness/query';
import type { Row, RowContext } from '../harness/row';
import type { World } from '../harness/world';

const gateways = [
  { name: 'write-gateway', index: 0 },
  { name: 'write-gateway', index: 1 },
] as const;
/** What accepts: one statement, which commits by itself; with an idempotency key an auto-batched write has a transaction. */
const accepting = ['insert into records', 'COMMIT'];
/** Every second, so that the gateways also get on. */
const everyNth = 2;
/** Few at once, so that few share a statement. */
const perSecond = 100;
/** Loads after which a proxy that lost too few answers is a fault of the test. */
const loadsMax = 40;

/** F12: the gateway looks up what it cannot know, and neither loses nor repeats. */
export const f12: Row = {
  id: 'F12',
  title: 'the reply to a COMMIT is dropped',
  ciSize: { writes: 200, faults: 100 },
  fullSize: { writes: 2_000, faults: 1_000 },
  run: async (context) => {
    const { world, size } = context;
    const ledgers: ClientLedger[] = [];
    const before = lost(world);
    const mix = { single: 4, auto: 4, batch: 1, update: 2 };
    for (const gateway of gateways) world.link(gateway, 'postgres').loseEveryAnswerTo(accepting, everyNth);
    for (let round = 0; lost(world) - before < size.faults && round < loadsMax; round += 1) {
      ledgers.push(await sendLoad(context, { writes: size.writes, perSecond, mix, name: `-${round}` }));
    }
    for (const gateway of gateways) world.link(gateway, 'postgres').loseEveryAnswerTo([], everyNth);
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger);
    const lostReplies = lost(world) - before;
    const stored = await countStored(context, ledger);
    const isExact = stored >= verdict.accepted && stored <= verdict.accepted + verdict.unknown;
    return {
      verdict,
      numbers: { lostReplies, stored },
      misses: [
        ...(isExact ? [] : [`accepted ${verdict.accepted}, unknown ${verdict.unknown}, stored ${stored}`]),
        ...(lostReplies < size.faults ? [`only ${lostReplies} replies were lost`] : []),
      ],
    };
  },
};

function lost(world: World): number {
  return gateways.reduce((sum, gateway) => sum + world.link(gateway, 'postgres').lost(), 0);
}

/** Records that the database holds of this run: their markers stand in their plans. */
async function countStored({ world, run }: RowContext, { startedAtMs }: ClientLedger): Promise<number> {
  const [row] = await query<{ count: number }>(
    world,
    `select count(*)::integer as count from records r join operations o on o.project_id = r.project_id and o.id = r.operation_id
     where o.created_at >= ?::timestamptz and r.plan like ?`,
    [new Date(startedAtMs - 1_000).toISOString(), `%${run}-%`],
  );
  return row?.count ?? 0;
}
