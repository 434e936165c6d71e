import { openDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { latestSeq, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import type { Party, World } from '../harness/world';
import { executors, isAlive, restart } from './support/parties';
import { refreshableCustomer, tokenRequests } from './support/refreshable';

/** How long the token endpoint takes: whoever meets the old token meanwhile must not ask for another. */
const tokenMs = 800;
const endlessGraceMs = 3_600_000;
/** Longest wait for a step: a refresher's lease of half a minute may lie in it. */
const stepMs = 180_000;
const trap = { SLUICE_FAILPOINT: 'oauth.after_reply_before_save:exit9:1' };
const [first] = executors as readonly [Party];

/**
 * A token ends under 500 writes, where each refresh token is good once: one refresh. Then executors die between the reply of
 * the token endpoint and the save: a provider with a grace period recovers by itself, without one the connection turns `bad_credentials`.
 */
export const f22: Row = {
  id: 'F22',
  title: 'token expired for 500 concurrent operations; rotation; kill before the save',
  ciSize: { writes: 500, faults: 1 },
  fullSize: { writes: 500, faults: 50 },
  run: async (context) => {
    const { size, world } = context;
    const misses: string[] = [];
    const ledgers: ClientLedger[] = [];
    const customers = [
      await refreshableCustomer(world, 'hubspot', 0),
      await refreshableCustomer(world, 'salesforce', 0),
    ] as const;
    for (let round = 0; round < size.faults; round += 1) {
      ledgers.push(await expireUnderLoad(context, customers[round % 2 === 0 ? 0 : 1], { round, misses }));
    }
    for (let round = 0; round < Math.ceil(size.faults / 10); round += 1) {
      ledgers.push(await killBeforeSave(context, { round, misses }));
    }
    return { verdict: await check(context, mergeLedgers(ledgers)), misses };
  },
};

interface Round {
  readonly round: number;
  /** What was missed is added. */
  readonly misses: string[];
}

async function expireUnderLoad(context: RowContext, customer: Customer, { round, misses }: Round) {
  const { world, size } = context;
  const { account } = customer;
  const sinceSeq = await latestSeq(world);
  await account.fault({ match: { path: tokenPaths }, action: { kind: 'slow', delayMs: tokenMs } });
  await account.expireToken();
  const mix = { single: 8, sync: 1, auto: 1 };
  const load = { writes: size.writes, perSecond: 1_000, mix, customers: [customer], withoutEmailShare: 0 };
  const ledger = await sendLoad(context, { ...load, name: `-${round}` });
  await check(context, ledger);
  const { given, refused } = await tokenRequests(world, account, sinceSeq);
  if (given !== 1 || refused > 0)
    misses.push(`round ${round}: ${given} refreshes and ${refused} refused ones instead of 1`);
  const { status } = await customer.connection();
  if (status !== 'working') misses.push(`round ${round}: the connection is ${status}`);
  return ledger;
}

/** @returns what was sent for the customer with a grace; the other one's writes wait for a new authorization */
async function killBeforeSave(context: RowContext, { round, misses }: Round): Promise<ClientLedger> {
  const { world } = context;
  const lenient = await refreshableCustomer(world, 'hubspot', endlessGraceMs);
  const strict = await refreshableCustomer(world, 'salesforce', 0);
  const sinceSeq = await latestSeq(world);
  for (const party of executors) await restart(world, party, trap);
  const mix = { single: 1 };
  const send = async (customer: Customer): Promise<ClientLedger> => {
    await customer.account.expireToken();
    const load = { writes: 20, mix, customers: [customer], withoutEmailShare: 0 };
    return await sendLoad(context, { ...load, name: `-killed-${round}-${customer.account.provider}` });
  };
  const [ledger] = await Promise.all([send(lenient), send(strict)]);
  const died = () => Promise.resolve(executors.some((party) => !isAlive(world, party)) ? true : undefined);
  const wereAsked = async () => {
    // Both may have died of one customer's tokens before the other's were asked for.
    if (executors.every((party) => !isAlive(world, party))) await world.startOnce(first, trap).catch(() => undefined);
    const asked = await Promise.all([lenient, strict].map(({ account }) => tokenRequests(world, account, sinceSeq)));
    return asked.every(({ given }) => given > 0) ? true : undefined;
  };
  await until('both customers were given tokens', wereAsked, stepMs).catch((error: Error) =>
    misses.push(error.message),
  );
  await until('an executor died before the save', died, stepMs).catch((error: Error) => misses.push(error.message));
  const isLost = (await tokenRequests(world, strict.account, sinceSeq)).given > 0;
  for (const party of executors) await restart(world, party);
  for (const { connectionId } of [lenient, strict]) await endRefreshLease(world, connectionId);
  await check(context, ledger);
  await judge({ lenient, strict, isLost }, misses);
  return ledger;
}

interface Killed {
  readonly lenient: Customer;
  readonly strict: Customer;
  /** The strict provider had given a pair that nobody saved. */
  readonly isLost: boolean;
}

async function judge({ lenient, strict, isLost }: Killed, misses: string[]): Promise<void> {
  const kept = (await lenient.connection()).status;
  if (kept !== 'working') misses.push(`with a grace the connection is ${kept}`);
  const wanted = isLost ? 'bad_credentials' : 'working';
  const hasStatus = async () => ((await strict.connection()).status === wanted ? true : undefined);
  await until(`the strict connection is ${wanted}`, hasStatus, stepMs).catch((error: Error) =>
    misses.push(error.message),
  );
}

/** The lease of a refresher that died is over at once, instead of in half a minute. */
async function endRefreshLease(world: RowContext['world'], connectionId: string): Promise<void> {
  await onDatabase(world, 'update connections set refresh_lease_until = now() where id = ?', [connectionId]);
}

const tokenPaths = '^(/oauth/|/services/oauth2/token)';

/** Runs one statement on the world's database: to move moments back, as if their time had passed. */
async function onDatabase(world: World, sql: string, bindings: readonly string[]): Promise<void> {
  const database = openDatabase({ url: world.serviceUrl('postgres'), poolMax: 1, applicationName: 'fault-rows' });
  try {
    await database.raw(sql, [...bindings]);
  } finally {
    await database.destroy();
  }
}
