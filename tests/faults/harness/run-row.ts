import { randomBytes } from 'node:crypto';
import { serviceNames } from '@sluice/stack';
import { slower, type Row, type RowOutcome } from './row';
import { seededRandom } from './seeded-random';
import { isAlive } from './supervise';
import { invariants, type Verdict } from './verdict';
import { parties, type World } from './world';

export interface RunOptions {
  readonly isFull: boolean;
  readonly seed: number;
}

/** The report of one run, as one JSON line. */
export interface RowReport {
  readonly row: string;
  readonly seed: number;
  readonly size: string;
  readonly verdict: Verdict;
  readonly numbers: Readonly<Record<string, number>>;
  readonly slow: readonly string[];
  /** Sentences; the row holds when there is none. */
  readonly broken: readonly string[];
}

/** Latest flush after a batch was due. */
const flushTargetMs = 1_000;

/** Runs one row in a world and judges it. */
export async function runRow(row: Row, world: World, { isFull, seed }: RunOptions): Promise<RowReport> {
  const size = isFull ? row.fullSize : row.ciSize;
  // Rows that share a world must not meet, and neither must two runs of one seed.
  const run = `${row.id}-${seed}-${randomBytes(3).toString('hex')}`;
  const random = seededRandom(`${row.id}/${seed}`);
  await heal(world);
  const begunAtMs = performance.now();
  const outcome = await row.run({ world, size, isFull, seed, random, run });
  return {
    row: row.id,
    seed,
    size: `${size.faults} / ${size.writes}`,
    verdict: outcome.verdict,
    numbers: { ...outcome.numbers, seconds: Math.round((performance.now() - begunAtMs) / 1_000) },
    slow: [...(outcome.slow ?? []), ...slower({ deadlineErrorMs: outcome.verdict.deadlineErrorMs }, flushTargetMs)],
    broken: judge(row, outcome),
  };
}

function judge({ allows = {} }: Row, { verdict, misses }: RowOutcome): string[] {
  const broken = invariants.filter((name) => verdict[name] > 0 && allows[name] === undefined);
  return [...broken.map((name) => `${name}: ${verdict[name]}, must be 0`), ...misses];
}

/**
 * One JSON line, with the day it was run (UTC). `bound`: what 0 of n events say at 95 % is a rate under 3/n.
 * Source: the rule of three.
 */
export function reportLine({ row, seed, size, verdict, numbers, slow, broken }: RowReport): string {
  const seen = verdict.accepted + verdict.unknown;
  const { examples, ...counts } = verdict;
  const details = { ...(slow.length > 0 && { slow }), ...(broken.length > 0 && { broken, examples }) };
  const day = new Date().toISOString().slice(0, 10);
  return JSON.stringify({ row, seed, size, day, ...counts, ...numbers, bound: `3/${seen}`, ...details });
}

/** The line of a full run in BENCHMARKS.md. */
export function reportCells({ row, seed, size, verdict, numbers, slow, broken }: RowReport): string {
  const day = new Date().toISOString().slice(0, 10);
  const counts = [
    verdict.accepted,
    verdict.unknown,
    verdict.lost,
    verdict.duplicates,
    verdict.nonTerminal,
    verdict.falseSuccess,
    verdict.falseFailure,
    verdict.order,
    verdict.crosstalk,
    numbers['recoveryMs'],
  ].map((count) => count?.toLocaleString('en-US') ?? '');
  const bound = `3/${verdict.accepted + verdict.unknown}`;
  return `| ${[row, size, seed, day, ...counts, bound, [...broken, ...slow].join('; ')].join(' | ')} |`;
}

/** Restores the world that a row expects, also after one that failed half way: every party runs, every service replies. */
async function heal(world: World): Promise<void> {
  for (const name of serviceNames) await world.startService(name);
  for (const party of parties) {
    const pid = world.pid(party);
    if (isAlive(pid)) await world.kill(party, 'SIGCONT');
    else await world.start(party);
  }
}
