import type { Logger } from './logger';
import type { Metrics } from './metrics';
import { repeat } from './turns';

/** What keeps a dependency from being used. Both are shown to anybody: no address, no secret. */
export interface Fault {
  /** Continues "the database …". */
  readonly reason: string;
  /** What an operator does about it. */
  readonly remedy: string;
}

/** Uses a dependency as work does. Undefined: it could be used. */
export type Check = () => Promise<Fault | undefined>;

/** What `/readyz` answers. */
export interface Readiness {
  /** Of Postgres alone: without the others work is later or slower, and a process that left would not mend that. */
  readonly ready: boolean;
  /** Dependency -> `ok`, or a sentence about the fault. */
  readonly checks: Readonly<Record<string, string>>;
  /** Those besides Postgres that cannot be used. */
  readonly degraded?: readonly string[];
}

export interface HealthWatch {
  /** Begins, and resolves with the first result of Postgres. @returns ends it */
  start(): Promise<() => Promise<void>>;
  /** The last results. Touches nothing. */
  readonly ready: () => Readiness;
}

interface Watched {
  /** A process lists what it has; Postgres everyone has. */
  readonly checks: { readonly postgres: Check; readonly redis?: Check | undefined; readonly kafka?: Check | undefined };
  /** Whether Postgres is known to be hung, between two checks too. @default only the checks tell */
  readonly isSilent?: () => boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const everyMs = 10_000;
/** A Postgres that is back is noticed sooner: until then requests are kept away. */
const againMs = 1_000;
/** Longer than a connection and a statement may take together. */
const longestMs = 8_000;

const late: Fault = { reason: 'did not answer in time', remedy: 'See whether it is overloaded.' };
const broken: Fault = { reason: 'could not be checked', remedy: 'Report it: the check failed.' };

/** Checks what a process uses, every ten seconds. What is at fault is logged once with its remedy, until it is well again. */
export function watchHealth({ checks, isSilent = () => false, logger, metrics }: Watched): HealthWatch {
  const up = metrics.gauge('sluice_dependency_up');
  const entries = Object.entries(checks).filter((entry): entry is ['postgres', Check] => entry[1] !== undefined);
  const results = new Map<string, Fault | undefined>();
  const logged = new Map<string, Set<string>>();
  let checkedAtMs = -Infinity;
  const check = async (dependency: 'postgres', use: Check): Promise<void> => {
    const fault = await inTime(use);
    results.set(dependency, fault);
    up.set({ dependency }, fault === undefined ? 1 : 0);
    const reasons = logged.get(dependency) ?? new Set();
    if (fault !== undefined && !reasons.has(fault.reason)) logger.warn({ dependency, ...fault }, 'dependency.degraded');
    if (fault === undefined && reasons.size > 0) logger.info({ dependency }, 'dependency.recovered');
    logged.set(dependency, fault === undefined ? new Set() : reasons.add(fault.reason));
  };
  const tick = async (): Promise<void> => {
    const isDue = performance.now() - checkedAtMs >= everyMs;
    if (isDue) checkedAtMs = performance.now();
    const isAway = results.get('postgres') !== undefined || isSilent();
    const due = entries.filter(([name]) => isDue || (name === 'postgres' && isAway));
    await Promise.all(due.map((entry) => check(...entry)));
  };
  return {
    start: async () => {
      checkedAtMs = performance.now();
      const first = entries.map((entry) => check(...entry));
      const end = repeat(tick, { everyMs: againMs, onFailure: () => undefined });
      await first[0];
      return end;
    },
    ready: () => {
      const faults = entries.filter(([name]) => results.get(name) !== undefined).map(([name]) => name as string);
      const textOf = (name: string) => {
        if (name === 'postgres' && isSilent()) return 'does not answer';
        return results.has(name) ? (results.get(name)?.reason ?? 'ok') : 'is not checked yet';
      };
      return {
        ready: textOf('postgres') === 'ok',
        checks: Object.fromEntries(entries.map(([name]) => [name, textOf(name)])),
        degraded: faults.filter((name) => name !== 'postgres'),
      };
    },
  };
}

async function inTime(use: Check): Promise<Fault | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Fault>((resolve) => {
    timer = setTimeout(() => resolve(late), longestMs);
  });
  return Promise.race([use().catch(() => broken), silence]).finally(() => clearTimeout(timer));
}
