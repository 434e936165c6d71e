import type { AccountOptions } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { check } from './harness/checker';
import { settleLate, untilHit, type LateSettlement } from './harness/late-settlement';
import { sendLoad } from './harness/load';
import { mutated, withoutClosing, withoutEvidence, withoutFence } from './harness/mutations';
import type { RowContext } from './harness/row';
import { seededRandom } from './harness/seeded-random';
import { startWorld } from './harness/start-world';
import type { Verdict } from './harness/verdict';
import type { World } from './harness/world';

/** Every step of a scenario has its own bound; together they may take this long. */
const scenarioMs = 1_200_000;

let world: World;
let scenarios = 0;
beforeAll(async () => {
  world = await startWorld();
}, 600_000);
afterAll(() => world?.stop(), 600_000);

/** A load of a few writes, as a row sends it. */
function context(run: string): RowContext {
  return { world, size: { writes: 0, faults: 0 }, isFull: false, seed: 7, random: seededRandom(run), run };
}

async function newCustomer(provider: 'hubspot' | 'salesforce', accountOptions: AccountOptions): Promise<Customer> {
  const objects =
    provider === 'hubspot' ? { read: ['contacts'], write: ['contacts'] } : { read: ['Contact'], write: ['Contact'] };
  return await createCustomer(world.stack, { provider, accountOptions, ...objects });
}

/** The provider refused; the sleeper, long replaced, says "again" while the next try is on its way. */
async function refusedScenario(): Promise<LateSettlement> {
  const customer = await newCustomer('salesforce', {});
  const match = { method: 'POST', path: '^/services/data/.*sobjects' };
  return {
    customer,
    marker: `late-${(scenarios += 1)}`,
    faults: [
      {
        match,
        action: {
          kind: 'partial',
          category: 'UNABLE_TO_LOCK_ROW',
          message: 'unable to obtain exclusive access to this record',
        },
      },
      { match: { ...match, nth: 2 }, action: { kind: 'slow', delayMs: 6_000 } },
    ],
    callTimeoutMs: 8_000,
    wakeWhen: () => untilHit(world, customer, 'slow'),
  };
}

/** The provider wrote it, and shows it to no search for a long time: only the sleeper knows. */
async function writtenScenario(): Promise<LateSettlement> {
  return {
    customer: await newCustomer('hubspot', { searchLagMs: 600_000 }),
    marker: `late-${(scenarios += 1)}`,
    faults: [],
    callTimeoutMs: 6_000,
    wakeWhen: () => Promise.resolve(),
  };
}

// The harness proves something only if it notices what it is there for.
describe('the fence', () => {
  it(
    'keeps a late settlement from having a create sent twice',
    async () => {
      expect(await settleLate(world, await refusedScenario())).toMatchObject({
        accepted: 1,
        duplicates: 0,
        failed: 0,
        nonTerminal: 0,
      });
    },
    scenarioMs,
  );

  it(
    'without it: duplicates',
    async () => {
      const scenario = await refusedScenario();
      const verdict = await mutated(world, withoutFence, () => settleLate(world, scenario));
      expect(verdict.duplicates).toBe(1);
    },
    scenarioMs,
  );
});

describe('the evidence', () => {
  it(
    'turns a late reply into the outcome',
    async () => {
      expect(await settleLate(world, await writtenScenario())).toMatchObject({
        accepted: 1,
        labelled: 0,
        failed: 0,
        lost: 0,
      });
    },
    scenarioMs,
  );

  it(
    'without it: an outcome that was heard is called unknown',
    async () => {
      const scenario = await writtenScenario();
      const verdict = await mutated(world, withoutEvidence, () => settleLate(world, scenario));
      expect(verdict.labelled).toBe(1);
    },
    scenarioMs,
  );
});

describe('the sweeps', () => {
  it(
    'without them, and without a broker: non-terminal',
    async () => {
      const sweepers = (['executor', 'batcher'] as const).flatMap((name) => [
        { name, index: 0 } as const,
        { name, index: 1 } as const,
      ]);
      const restart = async (env: Record<string, string>): Promise<void> => {
        await Promise.all(sweepers.map((party) => world.kill(party, 'SIGTERM')));
        await Promise.all(sweepers.map((party) => world.start(party, env)));
      };
      await restart({ SLUICE_SWEEPS: 'off' });
      await world.killService('kafka');
      const sender = context('without-sweeps');
      const ledger = await sendLoad(sender, { writes: 20, mix: { single: 1, auto: 1 } });
      const verdict = await check(sender, ledger, { boundMs: 3_000 });
      expect(verdict).toMatchObject({ accepted: 20, lost: 0 });
      expect(verdict.nonTerminal).toBeGreaterThan(0);
      // With them, the same writes end.
      await restart({});
      expect(await check(sender, ledger)).toMatchObject({ nonTerminal: 0, lost: 0, duplicates: 0 });
      await world.startService('kafka');
    },
    scenarioMs,
  );
});

describe('the closing of a batch', () => {
  it(
    'without its lock: batches that are miscounted, that lose a record, or that never end',
    async () => {
      const sender = context('without-closing');
      const sendSome = async (): Promise<Verdict> => {
        const ledger = await sendLoad(sender, { writes: 150, perSecond: 60, mix: { auto: 1 } });
        // Long enough for a slow machine to end them all, had they their lock.
        return await check(sender, ledger, { boundMs: 30_000 });
      };
      const { batch, lost, nonTerminal } = await mutated(world, withoutClosing, sendSome);
      // What joins between the closing and the seal keeps its batch from being sealed; what joins after the seal is in no call; what joins
      // after the end is miscounted. Which of them happens is a matter of milliseconds.
      expect(batch + lost + nonTerminal).toBeGreaterThan(0);
    },
    scenarioMs,
  );
});
