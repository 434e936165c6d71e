import { choice, count, listOf, momentText, openObject, text, type Described } from './json-schema';

/** How far an overview reaches back. */
export const overviewSpans = ['hour', 'day', 'week'] as const;
export type OverviewSpan = (typeof overviewSpans)[number];

/** Points of a span and the seconds between them: as many as a chart can show, so that a reply has one size. */
export const overviewSteps: Readonly<Record<OverviewSpan, { readonly points: number; readonly stepSeconds: number }>> =
  {
    hour: { points: 60, stepSeconds: 60 },
    day: { points: 144, stepSeconds: 600 },
    week: { points: 168, stepSeconds: 3_600 },
  };

const seconds = (description: string) => ({ type: 'number', minimum: 0, description }) as const;

/** Estimated from buckets. */
const timing = (description: string) =>
  openObject(description, ['median', 'p95'], {
    median: seconds('Seconds that half of them stayed below.'),
    p95: seconds('Seconds that 95 of 100 stayed below.'),
  });

const overviewPointSchema = openObject(
  'The counts of one step of the span. A figure that was not counted is absent.',
  ['time', 'providers'],
  {
    time: momentText('Beginning of the step.'),
    accepted: count('Records accepted.'),
    written: count('Records written.'),
    failed: count('Records that failed.'),
    unknown: count('Records that ended with an unknown outcome.'),
    retried: count('Records that were to be tried again; each time counts.'),
    accept: timing('How long accepts took.'),
    providerCall: timing('How long writes took at the providers.'),
    providers: listOf(
      'Providers of which an error or a block was met.',
      openObject('One provider.', ['provider', 'errors', 'blocks', 'blockedSeconds'], {
        provider: text('Name of the provider.'),
        errors: count('Calls that failed, and not for one of their records.'),
        blocks: count('Times at which an account was blocked.'),
        blockedSeconds: seconds('How long these blocks were, together.'),
      }),
    ),
    backlog: listOf(
      "What waited in the overview's lanes; a lane that is not named was empty.",
      openObject('One lane.', ['laneId', 'waiting'], {
        laneId: text('Lane id.'),
        // Counted once a minute.
        waiting: count('Calls that waited at most.'),
      }),
    ),
  },
);

/** Schema of the overview. Our addition to the published API; see rulings. */
export const overviewSchema = openObject(
  'What a project wrote in the last hour, day or week, and what it met.',
  ['span', 'stepSeconds', 'startTime', 'endTime', 'points', 'lanes', 'services'],
  {
    span: choice('How far it reaches back.', overviewSpans),
    stepSeconds: count('Length of a point.'),
    startTime: momentText('Beginning of the first point.'),
    endTime: momentText('End of the last point: the last minute that is complete.'),
    points: listOf('Oldest first, without a gap.', overviewPointSchema),
    lanes: listOf(
      'The longest queues of the span, at most five.',
      openObject('One lane.', ['id', 'provider', 'groupRefs'], {
        id: text('Lane id.'),
        provider: text('Provider of the account.'),
        workspaceRef: text('The account, as the provider names it.'),
        groupRefs: listOf('Groups that use the account; the first three.', { type: 'string' }),
      }),
    ),
    services: listOf(
      'Services of which a process was alive in the span, of the whole Sluice.',
      openObject('One service.', ['service', 'processes', 'versions', 'lastTime'], {
        service: text('Name of the service.'),
        processes: count('Processes that were alive within the last two minutes.'),
        // More than one: an upgrade is under way, or was not finished.
        versions: listOf('Versions of these processes; of the last ones, when none is.', { type: 'string' }),
        lastTime: momentText('When one was alive last, to the minute.'),
      }),
    ),
  },
);

export type Overview = Described<typeof overviewSchema>;
export type OverviewPoint = Overview['points'][number];
export type OverviewProvider = OverviewPoint['providers'][number];
export type OverviewTiming = NonNullable<OverviewPoint['accept']>;
export type OverviewService = Overview['services'][number];
