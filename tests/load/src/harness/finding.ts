import type { Rounds } from './alternate';

/** What a figure must reach. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One comparison of a row: what was measured, and what is judged of it. */
export interface Finding {
  /** `durable accepted writes` */
  readonly what: string;
  /** Of `ours` and `baseline`: `/s`, `ms`. */
  readonly unit: string;
  readonly ours: number;
  /** What stands on the other side: `Express 5 that does nothing`. */
  readonly against: string;
  readonly baseline?: number;
  /** The figure that the target is about. */
  readonly judged: number;
  /** Of `judged`: `×`, `ms`, `MB`, `s`, `calls`. */
  readonly judgedUnit: string;
  /** Absent: shown to understand another figure, and not judged. */
  readonly target?: Target;
  /** What the least that keeps the same promise reaches, and where that was measured. Said where the target is missed. */
  readonly floor?: string;
  /** Single rounds, where there was more than one: their range is shown. */
  readonly rounds?: { readonly ours: readonly number[]; readonly baseline?: readonly number[] };
}

/** All that one row found. */
export interface RowResult {
  readonly id: string;
  readonly findings: readonly Finding[];
  /** What a reader must know to judge the figures: conditions, side figures. */
  readonly notes: readonly string[];
  /** Seconds the row took. */
  readonly tookS: number;
}

type About = Pick<Finding, 'what' | 'unit' | 'against' | 'target' | 'floor'>;

/** @returns undefined for a figure without a target */
export function isMet({ judged, target }: Pick<Finding, 'judged' | 'target'>): boolean | undefined {
  if (target === undefined) return undefined;
  // A figure that is no number reaches nothing.
  return 'atLeast' in target ? judged >= target.atLeast : judged <= target.atMost;
}

/** A finding whose judged figure is ours over the baseline's. */
export function ratioFinding(
  finding: About & Pick<Finding, 'rounds'> & { readonly ours: number; readonly baseline: number },
): Finding {
  return { ...finding, judged: finding.ours / finding.baseline, judgedUnit: '×' };
}

/** The ratio of the medians of two sides that took turns. */
export function comparedFinding(about: About, ours: Rounds, baseline: Rounds): Finding {
  return ratioFinding({
    ...about,
    ours: ours.median,
    baseline: baseline.median,
    rounds: { ours: ours.figures, baseline: baseline.figures },
  });
}

/** A figure of ours judged by itself. */
export function ownFinding(about: About, ours: Rounds): Finding {
  return {
    ...about,
    ours: ours.median,
    judged: ours.median,
    judgedUnit: about.unit,
    rounds: { ours: ours.figures },
  };
}
