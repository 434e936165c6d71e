import { until } from '@sluice/testkit';
import { call } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import { check, type CheckOptions } from './checker';
import { newLedger } from './client-ledger';
import { latestSeq } from './load';
import { query } from './query';
import { sendWrite } from './send-write';
import type { Verdict } from './verdict';
import type { World } from './world';

/** What the provider does with the one create of a scenario, and when the sleeper wakes. */
export interface LateSettlement {
  readonly customer: Customer;
  readonly marker: string;
  /** Scripts of the sandbox for the creates of this account. */
  readonly faults: readonly object[];
  /** Longest call: the lookup at the provider waits as long, so it is also the time that the sleeper has. */
  readonly callTimeoutMs: number;
  /** Resolves when the executor that was stopped may go on. */
  readonly wakeWhen: (operationId: string) => Promise<unknown>;
}

/** The first executor sleeps here, between the provider's reply and its settlement, and is stopped in its sleep. */
const trap = 'ex.after_reply_before_finish:sleep=6000:1';
/** Longest wait for each step: a lease, the call's timeout and the provider's visibility window lie in it. */
const stepMs = 180_000;
const [first, second] = [
  { name: 'executor', index: 0 },
  { name: 'executor', index: 1 },
] as const;

/**
 * One create whose reply reaches an executor that is stopped before it settles. The other one takes the call over; then the first
 * goes on and settles what it heard. Whatever the reply said, the client and the provider must agree in the end.
 */
export async function settleLate(
  world: World,
  { customer, marker, faults, callTimeoutMs, wakeWhen }: LateSettlement,
): Promise<Verdict> {
  const ledger = newLedger(await latestSeq(world));
  for (const party of [first, second]) await world.kill(party, 'SIGTERM');
  const env = { SLUICE_CALL_TIMEOUT_MS: String(callTimeoutMs) };
  // The second one is there from the start and asleep, so that it takes over as soon as the lease has lapsed.
  await Promise.all([world.start(first, { ...env, SLUICE_FAILPOINT: trap }), world.start(second, env)]);
  await world.kill(second, 'SIGSTOP');
  for (const fault of faults) await customer.account.fault(fault);
  const write = { customer, way: 'single', markers: [marker], hasEmail: false } as const;
  const sleptBefore = countSleeps(world);
  const [sent] = await sendWrite(ledger, write, { writeUrls: world.writeUrls });
  const operationId = sent?.operationId ?? '';
  const isAsleep = (): true | undefined => countSleeps(world) > sleptBefore || undefined;
  await until('the reply is read, and its reader asleep', isAsleep, stepMs);
  await world.kill(first, 'SIGSTOP');
  await world.kill(second, 'SIGCONT');
  await until('the lease has lapsed', () => hasLapsed(world, operationId), stepMs);
  await wakeWhen(operationId);
  await world.kill(first, 'SIGCONT');
  const options: CheckOptions = { boundMs: stepMs };
  const verdict = await check({ world }, ledger, options);
  for (const party of [first, second]) await world.kill(party, 'SIGTERM');
  await Promise.all([first, second].map((party) => world.start(party)));
  return verdict;
}

/** How often the trap was sprung, of all scenarios. */
function countSleeps(world: World): number {
  return world.logLines().filter(({ event }) => event === 'failpoint.met').length;
}

async function hasLapsed(world: World, operationId: string): Promise<true | undefined> {
  const rows = await query<{ crash_count: number }>(world, 'select crash_count from calls where operation_id = ?', [
    operationId,
  ]);
  return rows.some(({ crash_count: crashes }) => crashes > 0) || undefined;
}

/** Resolves when a scripted fault of this kind has met a call. */
export async function untilHit(world: World, { account }: Customer, kind: string): Promise<void> {
  const readFault = async (): Promise<true | undefined> => {
    const all = await call<
      { account?: string; hits: number; seen: number; match?: { nth?: number }; action: { kind: string } }[]
    >(`${world.stack.sandboxUrl}/_sandbox/faults`, { method: 'GET' });
    const mine = all.filter((fault) => fault.account === account.name && fault.action.kind === kind);
    return mine.some(({ hits }) => hits > 0) || undefined;
  };
  await until(`a fault ${kind} has met a call`, readFault, stepMs);
}
