import { setTimeout as sleep } from 'node:timers/promises';
import { migrateDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import { ask } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';
import { startPair, type Pair } from './failover/pair';

/** Requests at a time, from callers of which each sends its next write when the last one is answered. */
const callers = 6;
const beforeMs = 4_000;
const afterMs = 4_000;

interface Sent {
  readonly marker: string;
  readonly customer: Customer;
  /** Milliseconds of `performance.now()`. */
  readonly repliedAt: number;
  /** Of a write that was accepted. */
  readonly operationId?: string;
  readonly status: number;
}

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

const objectOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'contacts' : 'Contact');
const nameOf = ({ account }: Customer) => (account.provider === 'hubspot' ? 'lastname' : 'LastName');

/** Single and auto-batched creates, one after the other, until the test is over. */
async function send(sent: Sent[], caller: number, isOver: () => boolean): Promise<void> {
  const [hubspot, salesforce] = customers;
  for (let n = 0; !isOver(); n += 1) {
    const customer = n % 2 === 0 ? hubspot : salesforce;
    const marker = `failover-${caller}-${n}`;
    const record = { [nameOf(customer)]: marker, ...(n % 2 === 0 && { email: `${marker}@example.com` }) };
    const policy = n % 3 === 0 ? { autoBatchPolicy: { maxDelayMinutes: 1 } } : {};
    const body = { type: 'create', mode: 'asynchronous', record, ...policy };
    const { status, body: reply } = await customer.write(objectOf(customer), body);
    const operationId = status === 200 ? reply.operationId : undefined;
    sent.push({ marker, customer, status, repliedAt: performance.now(), ...(operationId && { operationId }) });
    await sleep(20);
  }
}

interface Failover {
  readonly sent: readonly Sent[];
  /** From the promotion to the first write that was accepted after it, in milliseconds. */
  readonly acceptsAfterMs: number;
}

/** Writes without a pause while the primary is killed and the standby takes over. */
async function failOver(beforeKill: () => Promise<void> = async () => undefined): Promise<Failover> {
  const sent: Sent[] = [];
  let isOver = false;
  const sending = Promise.all(Array.from({ length: callers }, (_, caller) => send(sent, caller, () => isOver)));
  await sleep(beforeMs);
  await beforeKill();
  await pair.killPrimary();
  await pair.promote();
  const promotedAt = performance.now();
  const first = await until(
    'a write is accepted again',
    () => sent.find(({ repliedAt, operationId }) => operationId !== undefined && repliedAt > promotedAt),
    120_000,
  );
  await sleep(afterMs);
  isOver = true;
  await sending;
  return { sent, acceptsAfterMs: first.repliedAt - promotedAt };
}

interface Ended {
  readonly accepted: number;
  readonly refused: number;
  readonly lost: readonly string[];
  readonly unfinished: readonly string[];
  readonly doubled: readonly string[];
}

/** Waits until every operation that can be read has ended, then compares replies, operations and providers. */
async function compare(sent: readonly Sent[]): Promise<Ended> {
  const accepted = sent.filter(({ operationId }) => operationId !== undefined);
  const lost: string[] = [];
  const unfinished: string[] = [];
  for (const { operationId = '', customer, marker } of accepted) {
    const { project } = customer;
    const url = `${stack.baseUrl}/projects/${project.id}/operations/${operationId}`;
    const { status } = await ask(url, { method: 'GET', key: project.key });
    if (status === 404) lost.push(marker);
    else if ((await customer.ended(operationId, 120_000)).status !== 'success') unfinished.push(marker);
  }
  const counts = new Map<string, number>();
  for (const customer of customers) {
    for (const { fields } of await customer.account.records(objectOf(customer))) {
      const marker = String(fields[nameOf(customer)]);
      counts.set(marker, (counts.get(marker) ?? 0) + 1);
    }
  }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([marker]) => marker);
  const absent = accepted.filter(({ marker }) => !counts.has(marker) && !lost.includes(marker));
  lost.push(...absent.map(({ marker }) => marker));
  return { accepted: accepted.length, refused: sent.length - accepted.length, lost, unfinished, doubled };
}

function print(what: string, { acceptsAfterMs }: Failover, ended: Ended): void {
  const counts = `accepted ${ended.accepted}, refused ${ended.refused}, lost ${ended.lost.length}, doubled ${ended.doubled.length}`;
  process.stdout.write(
    `failover, ${what}: ${counts}, accepts ${(acceptsAfterMs / 1_000).toFixed(1)} s after the promotion\n`,
  );
}

// docs/guides/failover.md.
describe('the primary is killed, and its standby takes over', () => {
  it('synchronous: nothing that was replied is lost, nothing is written twice', async () => {
    await begin(true);
    const failover = await failOver();
    const ended = await compare(failover.sent);
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
    const ended = await compare(failover.sent);
    print('an asynchronous standby that was a second behind', failover, ended);
    expect(ended.lost.length).toBeGreaterThan(0);
  });
});
