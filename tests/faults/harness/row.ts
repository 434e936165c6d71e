import type { LoadContext } from './measured';
import type { Invariant, Verdict } from './verdict';
import type { World, WorldOptions } from './world';

/** How much of a fault: how many writes are sent meanwhile, and how often (or how many seconds) the fault happens. */
export interface RowSize {
  readonly writes: number;
  /** Kills, restarts, repetitions; seconds where the matrix counts time. */
  readonly faults: number;
}

/** What a row is run with. */
export interface RowContext extends LoadContext {
  /** The running system. A row leaves it as it found it: every party up, every link whole. */
  readonly world: World;
  readonly size: RowSize;
  readonly seed: number;
}

/** What a row found. */
export interface RowOutcome {
  /** Of `check`; its invariants are judged by the runner, every bound is 0. */
  readonly verdict: Verdict;
  /** Numbers of the matrix's last column, printed with the line: `restartMs`, `throughputRatio`. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** One sentence for each condition of this row that was missed. The row holds when there is none. */
  readonly misses: readonly string[];
  /** Times that the matrix asks for and that were missed: reported, never judged, because they measure this machine too. */
  readonly slow?: readonly string[];
}

/** One row of the fault matrix. */
export interface Row {
  /** `F3` */
  readonly id: string;
  readonly title: string;
  /** Below the matrix where the eight minutes of all rows together ask for it: README.md says so. */
  readonly ciSize: RowSize;
  readonly fullSize: RowSize;
  /** Rows with equal options share one world; those without share the one of the defaults. */
  readonly world?: WorldOptions;
  /** Invariants that this row allows above 0, with the reason. @default none */
  readonly allows?: Readonly<Partial<Record<Invariant, string>>>;
  /** Why this machine cannot run the row, if it cannot. The suite says so and counts it as not run. */
  cannotRun?(): string | undefined;
  run(context: RowContext): Promise<RowOutcome>;
}

/** A row's report of times that exceed the matrix's number. */
export function slower(times: Readonly<Record<string, number>>, targetMs: number): string[] {
  const late = Object.entries(times).filter(([, tookMs]) => tookMs > targetMs);
  return late.map(([name, tookMs]) => `${name}: ${tookMs}, wanted ${targetMs}`);
}
