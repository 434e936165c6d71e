import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from './logger';
import { repeat } from './turns';

/** What is counted for each project. */
export const figureNames = [
  'accepted',
  'written',
  'failed',
  'unknown',
  'retried',
  'providerErrors',
  'blocks',
  'blockedMs',
] as const;
export type FigureName = (typeof figureNames)[number];

/** What is measured for each project: how long an accept took, and how long a provider took to answer a write. */
export const timingNames = ['accept', 'providerCall'] as const;
export type TimingName = (typeof timingNames)[number];

/** Upper bounds of the buckets of a timing, in seconds; one more bucket holds what is longer. */
export const timingBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** Whose figures they are. */
export interface FiguresOf {
  readonly projectId: string;
  /** `unknown` for a record that ended before its connection was read. */
  readonly provider: string;
}

/** What one process did for a project at one provider since it was stored last. */
export interface ProjectFigures extends FiguresOf {
  readonly counts: Readonly<Record<FigureName, number>>;
  /** Observations by bucket. */
  readonly timings: Readonly<Record<TimingName, readonly number[]>>;
}

/** Projects and providers that are kept at once; more are not counted. What was stored makes room, so only an outage of the database comes near. */
const kept = 10_000;

interface Counted extends FiguresOf {
  readonly counts: Record<FigureName, number>;
  readonly timings: Record<TimingName, number[]>;
}

/**
 * What the console draws: figures by project, which no metric has, because its labels are closed sets. They are taken and stored each minute,
 * and never exposed to a scraper.
 */
export class FiguresByProject {
  private counted = new Map<string, Counted>();

  count(of: FiguresOf, figure: FigureName, by: number): void {
    if (by > 0) this.figuresOf(of).counts[figure] += by;
  }

  observe(of: FiguresOf, timing: TimingName, seconds: number): void {
    const buckets = this.figuresOf(of).timings[timing];
    const at = timingBounds.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? timingBounds.length : at;
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }

  /** What was counted since the last time. */
  take(): ProjectFigures[] {
    const taken = [...this.counted.values()];
    this.counted = new Map();
    return taken;
  }

  /** Counts again what was taken and could not be stored. */
  giveBack(figures: readonly ProjectFigures[]): void {
    for (const { counts, timings, ...of } of figures) {
      const mine = this.figuresOf(of);
      for (const name of figureNames) mine.counts[name] += counts[name];
      for (const name of timingNames)
        mine.timings[name] = mine.timings[name].map((count, at) => count + (timings[name][at] ?? 0));
    }
  }

  private figuresOf({ projectId, provider }: FiguresOf): Counted {
    const key = `${projectId} ${provider}`;
    const known = this.counted.get(key);
    if (known !== undefined) return known;
    const fresh = emptyFigures(projectId, provider);
    if (this.counted.size < kept) this.counted.set(key, fresh);
    return fresh;
  }
}

function emptyFigures(projectId: string, provider: string): Counted {
  const buckets = () => Array.from({ length: timingBounds.length + 1 }, () => 0);
  return {
    projectId,
    provider,
    counts: { accepted: 0, written: 0, failed: 0, unknown: 0, retried: 0, providerErrors: 0, blocks: 0, blockedMs: 0 },
    timings: { accept: buckets(), providerCall: buckets() },
  };
}

/** A process that is alive. */
export interface LivingProcess {
  readonly service: string;
  /** Unique among the processes that are alive. */
  readonly process: string;
  readonly version: string;
}

/** Where the minutes go; the store has it. */
interface MinuteStore {
  /** Adds the figures to the current minute of the database, and marks the process as alive in it. */
  save(process: LivingProcess, figures: readonly ProjectFigures[]): Promise<void>;
}

interface Keeping {
  readonly service: string;
  readonly metrics: { readonly byProject: FiguresByProject };
  readonly store: { readonly minutes: MinuteStore };
  readonly logger: Logger;
}

/** Several times a minute, so that no minute of a living process is without a row, and a chart is a few seconds old. */
const everyMs = 15_000;

/**
 * Stores the figures of this process until it is ended, then once more. What could not be stored is stored with the next minute; when the answer of
 * a commit is lost, a minute may count twice. Never throws: a chart is no reason to stop.
 * @returns ends it
 */
export function keepMinutes({ service, metrics, store, logger }: Keeping): () => Promise<void> {
  const figures = metrics.byProject;
  const living = { service, process: `${service}/${hostname()}/${process.pid}`, version: readVersion() };
  const save = async (): Promise<void> => {
    const taken = figures.take();
    try {
      await store.minutes.save(living, taken);
    } catch (error) {
      figures.giveBack(taken);
      logger.warn({ error }, 'minute.not-stored');
    }
  };
  const end = repeat(save, { everyMs, onFailure: () => undefined });
  return async () => {
    await end();
    await save();
  };
}

/** All packages have the version of the release. */
function readVersion(): string {
  return (JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { readonly version: string }).version;
}
