import { choice, count, flag, listOf, momentText, openObject, text, type Described } from './json-schema';

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

/**
 * `accepted` and `earlier` are as many as all the others together. What ended is counted by the processes, and stored up to 15 s later; what is open is
 * read from the tables. So the two parts meet in `earlier` and `uncounted`, of which one is 0, and neither is given when not all that is open was read.
 */
const overviewRecordsSchema = openObject(
  'Records from the beginning of the span until now, which add up: accepted + earlier = written + failed + unknown + waiting + filling + held + uncounted.',
  ['waiting', 'filling', 'held', 'isMore'],
  {
    accepted: count('Accepted in the span.'),
    written: count('Written in the span.'),
    failed: count('Failed in the span.'),
    unknown: count('Ended in the span with an unknown outcome.'),
    waiting: count('Wait now to be sent, are being sent, or are to be tried again or looked up.'),
    filling: count('Stand now in auto-batches that take further records.'),
    held: count('Wait now for new credentials, or for the end of a block of their account.'),
    earlier: count(
      'Open or ended in the span, and accepted before it, opened by a retry, or not yet counted as accepted.',
    ),
    uncounted: count(
      'Accepted in the span, neither open nor counted: ended within the last 15 seconds, with its installation, or in a process that was killed.',
    ),
    isMore: flag('More is open than is read: what waits, fills and is held are the least.'),
  },
);

const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description }) as const;

const overviewFailuresSchema = openObject(
  'Failed records and those of unknown outcome, of writes accepted in the span: of the newest 1,000.',
  ['records', 'customers', 'problems'],
  {
    records: count('Records that were read.'),
    completeSince: momentText('When not all were read: from when on they were. Absent: all.'),
    customers: listOf(
      'Groups with the most of them, at most five.',
      openObject('One group.', ['groupRef', 'records'], {
        groupRef: text('The group.'),
        groupName: text('Its name; absent when it is the reference.'),
        records: count('Failed records.'),
      }),
    ),
    problems: listOf(
      'What most of them have, by code and field, at most five; without either, by the beginning of the sentence, as problemText of a list takes it.',
      openObject('One problem.', ['message', 'records', 'customers'], {
        code: text("The provider's code.", 'INVALID_EMAIL'),
        field: text('The field as requests name it.', 'email'),
        message: text("The provider's sentence; … stands where those of the records differ.", 'Email address … is invalid'),
        records: count('Records that have it.'),
        customers: count('Installations of these records.'),
      }),
    ),
  },
);

const overviewSetupSchema = openObject(
  'What a project has that has written no record yet. Absent: it has written one, or has 1,000 operations.',
  ['hasIntegration', 'hasProviderApp', 'hasCustomer', 'hasWrite'],
  {
    hasIntegration: flag('A manifest is deployed.'),
    hasProviderApp: flag('An OAuth app of a provider is stored. Only customers who connect with OAuth need one.'),
    hasCustomer: flag('An installation exists.'),
    hasWrite: flag('A write was accepted.'),
  },
);

/** Schema of the overview. Our addition to the published API; see rulings. */
export const overviewSchema = openObject(
  'What a project wrote in the last hour, day or week, and what it met.',
  ['span', 'stepSeconds', 'startTime', 'endTime', 'records', 'failures', 'points', 'lanes', 'services'],
  {
    span: choice('How far it reaches back.', overviewSpans),
    stepSeconds: count('Length of a point.'),
    startTime: momentText('Beginning of the first point.'),
    endTime: momentText('End of the last point: the last minute that is complete.'),
    records: overviewRecordsSchema,
    successRate: share('Share of the written ones of the records that ended in the span. Absent: none ended.'),
    successRateBefore: share('The same of the span before.'),
    failures: overviewFailuresSchema,
    setup: overviewSetupSchema,
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
export type OverviewRecords = Overview['records'];
export type OverviewFailures = Overview['failures'];
export type OverviewSetup = NonNullable<Overview['setup']>;
export type OverviewPoint = Overview['points'][number];
export type OverviewProvider = OverviewPoint['providers'][number];
export type OverviewTiming = NonNullable<OverviewPoint['accept']>;
export type OverviewService = Overview['services'][number];
