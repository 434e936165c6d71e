import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessName } from '@sluice/local';
import { until } from '@sluice/testkit';
import { mergeLedgers, type ClientLedger } from './client-ledger';
import { sendLoad, type Load } from './load';
import { holdCalls, watchResumption } from './resumption';
import type { RowContext } from './row';
import type { Party } from './world';

export interface Kills {
  /** Services of which one instance, in turns, is killed. */
  readonly victims: readonly ProcessName[];
  /** Kills both instances of each, all at once. @default false */
  readonly areAll?: boolean;
  readonly load?: Omit<Load, 'writes'>;
}

export interface Killed {
  readonly ledger: ClientLedger;
  /** From the start of the killed processes to their readiness, the longest of all kills, in milliseconds. */
  readonly restartMs: number;
  /** From the kill of an executor until nothing that it held waits for it, the longest of all kills, in milliseconds. */
  readonly resumedMs: number;
}

/** Longest wait for a call under load. */
const busyMs = 120_000;
const doubled: readonly ProcessName[] = ['write-gateway', 'batcher', 'executor'];

/**
 * Sends the load in as many parts as there are kills, and kills in the midst of each: at a moment that the seed chooses, executors as
 * soon as they hold a call after it. A part goes on until its kill, and the next one begins when the killed process is back, so that
 * every kill meets a load whatever this machine is worth.
 */
export async function killDuring(context: RowContext, kills: Kills): Promise<Killed> {
  const { size, random } = context;
  const ledgers: ClientLedger[] = [];
  const restarts: number[] = [];
  const resumptions: Promise<number>[] = [];
  for (let round = 0; round < size.faults; round += 1) {
    const writes = Math.ceil(size.writes / size.faults);
    const killAt = Math.ceil(writes * (0.2 + 0.6 * random()));
    let restarting: Promise<void> | undefined;
    let isAwaited = false;
    const kill = async (): Promise<void> => {
      const targets = targetsOf(kills, round);
      const pids = await killAll(context, targets).finally(() => (isAwaited = false));
      if (pids.length > 0) resumptions.push(watchResumption(context.world, pids));
      restarts.push(await startAll(context, targets));
    };
    const onAnswer = (answered: number): void => {
      if (answered < killAt || restarting !== undefined) return;
      isAwaited = true;
      restarting = kill();
    };
    const goesOn = (): boolean => isAwaited;
    ledgers.push(await sendLoad(context, { ...kills.load, writes, onAnswer, goesOn, name: `-${round}` }));
    await restarting;
  }
  const resumed = await Promise.all(resumptions);
  const longest = (times: readonly number[]): number => Math.round(Math.max(0, ...times));
  return { ledger: mergeLedgers(ledgers), restartMs: longest(restarts), resumedMs: longest(resumed) };
}

/** @returns the process numbers of the executors among them */
async function killAll({ world }: RowContext, targets: readonly Party[]): Promise<readonly number[]> {
  const pids = targets.filter(({ name }) => name === 'executor').flatMap((party) => world.pid(party) ?? []);
  if (pids.length > 0) await until('an executor holds a call', () => holdCalls(world, pids), busyMs);
  await Promise.all(targets.map((target) => world.kill(target, 'SIGKILL')));
  return pids;
}

/** @returns how long it took until all were ready, in milliseconds */
async function startAll({ world }: RowContext, targets: readonly Party[]): Promise<number> {
  // A supervisor is not there at once.
  await sleep(50);
  const startedAtMs = performance.now();
  await Promise.all(targets.map((target) => world.start(target)));
  return performance.now() - startedAtMs;
}

function targetsOf({ victims, areAll = false }: Kills, round: number): Party[] {
  const index = round % 2 === 0 ? 0 : 1;
  return victims.flatMap((name): Party[] => {
    if (!doubled.includes(name)) return [{ name }];
    return areAll
      ? [
          { name, index: 0 },
          { name, index: 1 },
        ]
      : [{ name, index }];
  });
}
