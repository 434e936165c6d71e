import type { Addresses } from './addresses';
import type { Finding } from './finding';
import type { LoadGenerator } from './generate-load';
import type { Provider } from './provider';
import type { System, SystemOptions } from './system';

/** What a row runs with. */
export interface Bench {
  /** True: one short round of everything, only to see that the row runs. Its figures mean nothing. */
  readonly isQuick: boolean;
  readonly addresses: Addresses;
  readonly provider: Provider;
  readonly load: LoadGenerator;
  /** A line for who watches. */
  readonly say: (line: string) => void;
  /** Our services on an empty database, ended afterwards. In a quick run one system serves all rows that want no other settings. */
  withSystem<Result>(options: SystemOptions, work: (system: System) => Promise<Result>): Promise<Result>;
}

export interface Measured {
  readonly findings: readonly Finding[];
  /** What a reader must know to judge the figures. */
  readonly notes: readonly string[];
}

/** One row of the goals. */
export interface Row {
  readonly id: string;
  /** The goal in a few words. */
  readonly goal: string;
  measure(bench: Bench): Promise<Measured>;
}

/**
 * Rounds and lengths of a row that measures a rate. Medians of five. A warm-up counts requests, not
 * seconds: our gateway takes tens of thousands until its code is compiled, bare Express about 20,000. A slow side has 40 s: after ten of synchronous
 * writes (9,000) a gateway took 770 µs for each, after thirty (30,000) 490 µs (2026-11-27).
 */
export function pace({ isQuick }: Pick<Bench, 'isQuick'>) {
  return isQuick
    ? { rounds: 1, roundMs: 150, warmUp: { count: 20 } }
    : { rounds: 5, roundMs: 5_000, warmUp: { count: 60_000, durationMs: 40_000 } };
}
