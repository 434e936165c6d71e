import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../harness/checker';
import { judgeRefusals, mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import { mountDisk } from '../harness/own-services';
import { slower, type Row, type RowContext } from '../harness/row';
import type { World } from '../harness/world';

/** Room for fresh data, some thousand writes, and what Postgres keeps of its log. */
const diskMb = 1_024;
const mebi = 1024 * 1024;
/** Until the disk fills, and how long it is full. */
const healthyMs = 2_000;
const fullMs = 8_000;
/** What is freed meanwhile, as by a log that is cut, is filled again so often. */
const refillMs = 50;
/** The load goes on until so many writes were answered after there was room again. */
const writesAfter = 50;
/** Latest flush beyond its moment: nobody can flush while nothing can be written. */
const flushLateMs = 120_000;

/** F25: the disk of the databases and of every log is full. Every request is answered 503, and free space is all that the recovery needs. */
export const f25: Row = {
  id: 'F25',
  title: 'disk full for Postgres, Kafka, Redis and the logs',
  ciSize: { writes: 600, faults: 1 },
  fullSize: { writes: 6_000, faults: 3 },
  world: { diskMb },
  cannotRun: () => (canMount() ? undefined : 'nobody may mount a disk of a limited size here'),
  run: async (context) => {
    const ledgers: ClientLedger[] = [];
    const recoveries: number[] = [];
    for (let round = 0; round < context.size.faults; round += 1) {
      const { ledger, recoverMs } = await sendAndFill(context, round);
      ledgers.push(ledger);
      recoveries.push(recoverMs);
    }
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger, { flushLateMs });
    const recoverMs = Math.max(...recoveries);
    const { refusals, misses } = judgeRefusals(ledger, 'the disk was full');
    return { verdict, numbers: { recoverMs, refusals }, misses, slow: slower({ recoverMs }, 5_000) };
  },
};

interface Filled {
  readonly ledger: ClientLedger;
  /** From the moment at which there was room until a write was answered. */
  readonly recoverMs: number;
}

async function sendAndFill(context: RowContext, round: number): Promise<Filled> {
  const { world, size } = context;
  let [roomAtMs, firstAtMs, after] = [Infinity, Infinity, 0];
  const onAnswer = (): void => {
    if (performance.now() < roomAtMs) return;
    firstAtMs = Math.min(firstAtMs, performance.now());
    after += 1;
  };
  const loading = sendLoad(context, {
    writes: Math.ceil(size.writes / size.faults),
    perSecond: 100,
    concurrency: gentleConcurrency,
    // What a synchronous write answers while the database goes has a suite of its own; here a reply means accepted or not.
    mix: { single: 40, auto: 40, batch: 2, update: 10, autoUpdate: 6 },
    goesOn: () => after < writesAfter,
    onAnswer,
    name: `-${round}`,
  });
  await sleep(healthyMs);
  await beFull(world);
  roomAtMs = performance.now();
  // What a supervisor does: a database or broker that ended for want of room is started again.
  await world.startService('postgres');
  return { ledger: await loading, recoverMs: Math.round(firstAtMs - roomAtMs) };
}

/** Takes what room there is, again and again, then gives it back. */
async function beFull({ folder }: World): Promise<void> {
  const ballast = join(folder, 'ballast');
  const megabyte = Buffer.alloc(mebi);
  const untilMs = performance.now() + fullMs;
  while (performance.now() < untilMs) {
    const { bavail, bsize } = statfsSync(folder);
    for (let left = bavail * bsize; left > 0; left -= mebi) {
      try {
        appendFileSync(ballast, megabyte.subarray(0, Math.min(left, mebi)));
      } catch {
        // Somebody else took the rest of it.
        break;
      }
    }
    await sleep(refillMs);
  }
  rmSync(ballast);
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mount-'));
  try {
    mountDisk(folder, 1);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
