import { json, queryOf, type Router } from '@sluice/http';
import type { StoredFigures, StoredOverview } from '@sluice/store';
import { timingBounds, type FigureName, type TimingName } from '@sluice/telemetry';
import { overviewSchema, overviewSpans, overviewSteps } from '@sluice/types';
import type { Overview, OverviewPoint, OverviewProvider, OverviewSpan, OverviewTiming } from '@sluice/types';
import type { ManagementContext } from '../context';
import { routesOfProject } from '../projects/get-project';
import { counters, rateOf, recordsOf } from './overview-records';

/** `GET P/overview`. Not for bearer tokens: the queues are of all groups. */
export function overviewRoutes(router: Router, context: ManagementContext): void {
  routesOfProject(router, context, 'Operations').get('/overview', 'getOverview', {
    summary: 'See what a project wrote lately',
    description:
      'Figures of this project over the last hour (60 points of a minute), day (144 of ten minutes) or week (168 of an hour), up to the last minute that is complete. Services are those of the whole Sluice. A figure is absent where no process was alive that could have counted it.',
    replies: { 200: json(overviewSchema) },
    scopes: ['frontend', 'read'],
    query: queryOf({
      span: { type: 'string', enum: overviewSpans, default: 'hour', description: 'How far it reaches back.' },
    }),
    answer: async ({ query: { span = 'hour' } }, { id }) => readOverview(context, id, span),
  });
}

/** What is open is read after what was counted: a record that ends meanwhile is then in neither, and not in both. */
async function readOverview({ store }: ManagementContext, projectId: string, span: OverviewSpan): Promise<Overview> {
  const stored = await store.minutes.readOverview(projectId, overviewSteps[span]);
  const { startTime, ...shown } = presentOverview(span, stored);
  const [open, failures, setup] = await Promise.all([
    store.operations.countOpen(projectId),
    store.operations.readFailures(projectId, new Date(startTime)),
    stored.records.written > 0 ? undefined : store.projects.readSetup(projectId),
  ]);
  return {
    ...shown,
    startTime,
    records: recordsOf(stored, open),
    ...rateOf('successRate', stored.records),
    ...rateOf('successRateBefore', stored.recordsBefore),
    failures,
    ...(setup && { setup }),
  };
}

/** Points without a row are made: a chart needs all of them. */
function presentOverview(
  span: OverviewSpan,
  stored: StoredOverview,
): Pick<Overview, 'span' | 'stepSeconds' | 'startTime' | 'endTime' | 'points' | 'lanes' | 'services'> {
  const { points, stepSeconds } = overviewSteps[span];
  const { endTime, lanes, services } = stored;
  const startMs = Date.parse(endTime) - points * stepSeconds * 1_000;
  const figures = Map.groupBy(stored.figures, ({ point }) => point);
  const backlog = Map.groupBy(stored.backlog, ({ point }) => point);
  const alive = new Map(stored.alive.map((one) => [one.point, new Set(one.services)]));
  const pointAt = (at: number): OverviewPoint => {
    const ofPoint = figures.get(at) ?? [];
    const living = alive.get(at) ?? new Set();
    const queues = backlog.get(at)?.map(({ laneId, waiting }) => ({ laneId, waiting }));
    const queued = queues ?? (living.has('batcher') ? [] : undefined);
    return {
      time: new Date(startMs + at * stepSeconds * 1_000).toISOString(),
      ...countsOf(ofPoint, living),
      ...timingOf('accept', ofPoint),
      ...timingOf('providerCall', ofPoint),
      providers: ofPoint.map(toProvider).filter(({ errors, blocks }) => errors + blocks > 0),
      ...(queued && { backlog: queued }),
    };
  };
  return {
    span,
    stepSeconds,
    startTime: new Date(startMs).toISOString(),
    endTime,
    points: Array.from({ length: points }, (_, at) => pointAt(at)),
    lanes,
    services,
  };
}

function countsOf(
  figures: readonly StoredFigures[],
  alive: ReadonlySet<string>,
): Partial<Record<keyof typeof counters, number>> {
  const known = Object.entries(counters).flatMap(([name, services]) => {
    const sum = figures.reduce((total, { counts }) => total + counts[name as FigureName], 0);
    return sum > 0 || services.some((service) => alive.has(service)) ? [[name, sum] as const] : [];
  });
  return Object.fromEntries(known);
}

function timingOf(name: TimingName, figures: readonly StoredFigures[]): Partial<Record<TimingName, OverviewTiming>> {
  const counts = Array.from({ length: timingBounds.length + 1 }, (_, at) =>
    figures.reduce((total, { timings }) => total + (timings[name][at] ?? 0), 0),
  );
  if (counts.every((count) => count === 0)) return {};
  return { [name]: { median: quantile(counts, 0.5), p95: quantile(counts, 0.95) } };
}

/** Inside its bucket a quantile is where it would be if the observations were spread evenly. Beyond the last bound nothing is known. */
function quantile(counts: readonly number[], share: number): number {
  const rank = share * counts.reduce((total, count) => total + count, 0);
  let before = 0;
  for (const [at, count] of counts.entries()) {
    const [lower, upper] = [timingBounds[at - 1] ?? 0, timingBounds[at]];
    if (upper === undefined) return lower;
    if (before + count >= rank) return rounded(lower + ((rank - before) / count) * (upper - lower));
    before += count;
  }
  return 0;
}

const rounded = (seconds: number): number => Math.round(seconds * 1e4) / 1e4;

function toProvider({ provider, counts: { providerErrors, blocks, blockedMs } }: StoredFigures): OverviewProvider {
  return { provider, errors: providerErrors, blocks, blockedSeconds: blockedMs / 1_000 };
}
