import { setTimeout as sleep } from 'node:timers/promises';
import { migrateDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import { createCustomer, type Customer } from '../harness/customer';
import { compareWrites, countsOf, startWrites, type EndOfWrites, type MarkedWrite } from '../harness/marked-writes';
import { startStack, type OwnStack } from '../harness/stack';
import { startPair, type Pair } from './failover/pair';

/** Requests at a time. */
const callers = 6;
const beforeMs = 4_000;
const afterMs = 4_000;

let pair: Pair;
let stack: OwnStack;
let customers: readonly [hubspot: Customer, salesforce: Customer];
afterEach(async () => {
  await stack?.stop();
  await pair?.stop();
});

async function begin(isSynchronous: boolean): Promise<void> {
  pair = await startPair(isSynchronous);
  await migrateDatabase(pair.url, { waitMs: 60_000 });
  stack = await startStack({ env: { DATABASE_URL: pair.url } });
  customers = [
    await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] }),
    await createCustomer(stack, { provider: 'salesforce', write: ['Contact'] }),
  ];
}

interface Failover {
  readonly sent: readonly MarkedWrite[];
  /** From the promotion to the first write that was accepted after it, in milliseconds. */
  readonly acceptsAfterMs: number;
}

/** Writes without a pause while the primary is killed and the standby takes over. */
async function failOver(beforeKill: () => Promise<void> = async () => undefined): Promise<Failover> {
  const writes = startWrites('failover', customers, callers);
  await sleep(beforeMs);
  await beforeKill();
  await pair.killPrimary();
  await pair.promote();
  const promotedAt = performance.now();
  const first = await until(
    'a write is accepted again',
    () => writes.sent.find(({ repliedAt, operationId }) => operationId !== undefined && repliedAt > promotedAt),
    120_000,
  );
  await sleep(afterMs);
  return { sent: await writes.stop(), acceptsAfterMs: first.repliedAt - promotedAt };
}

function print(what: string, { acceptsAfterMs }: Failover, ended: EndOfWrites): void {
  process.stdout.write(
    `failover, ${what}: ${countsOf(ended)}, accepts ${(acceptsAfterMs / 1_000).toFixed(1)} s after the promotion\n`,
  );
}

// docs/guides/failover.md.
describe('the primary is killed, and its standby takes over', () => {
  it('synchronous: nothing that was replied is lost, nothing is written twice', async () => {
    await begin(true);
    const failover = await failOver();
    const ended = await compareWrites(failover.sent);
    print('a synchronous standby', failover, ended);
    expect(ended).toMatchObject({ lost: [], unfinished: [], doubled: [] });
    expect(ended.accepted).toBeGreaterThan(50);
  });

  // And the proof that the test before it can fail.
  it('asynchronous: what the standby had not received yet is lost', async () => {
    await begin(false);
    const failover = await failOver(async () => {
      pair.cutReplication();
      await sleep(1_000);
    });
    const ended = await compareWrites(failover.sent);
    print('an asynchronous standby that was a second behind', failover, ended);
    expect(ended.lost.length).toBeGreaterThan(0);
  });
});
