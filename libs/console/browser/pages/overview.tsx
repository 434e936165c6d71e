import {
  grouped,
  overviewSpans,
  type Overview,
  type OverviewPoint,
  type OverviewService,
  type OverviewSpan,
} from '@sluice/types';
import { Attention } from '../parts/attention';
import { Chart, tones, type Series } from '../parts/chart';
import { Moment } from '../parts/moment';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

/** The longer the span, the less a minute changes it. */
const everyMs: Readonly<Record<OverviewSpan, number>> = { hour: 5_000, day: 30_000, week: 60_000 };

/** What the project wrote lately, and what needs attention first. */
export function OverviewPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const span = overviewSpans.find((name) => name === query.get('span')) ?? 'hour';
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad(span, (signal) => api.getOverview({ span }, { signal }), { everyMs: everyMs[span] });
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
        <nav class="spans" aria-label="How far back">
          {overviewSpans.map((name) => (
            <a key={name} href={hrefOf('overview', { span: name })} aria-current={name === span ? 'true' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      <Attention session={session} />
      {error === undefined ? null : <Problem error={error} title="The figures could not be read" />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton of="tiles" />
        ) : null
      ) : (
        <>
          <Services services={value.services} />
          <Totals overview={value} />
          <Charts overview={value} />
        </>
      )}
    </>
  );
}

/** What has to run, or writes are neither accepted nor sent. */
const needed = ['write-gateway', 'batcher', 'executor'] as const;

/** The services that ran, and those that should. */
function Services({ services }: Pick<Overview, 'services'>) {
  // Right after a start none has reported yet, and neither has the service that answers.
  const isStarting = services.every(({ service }) => service !== 'management');
  const ended = needed.filter(
    (name) => !isStarting && (services.find(({ service }) => service === name)?.processes ?? 0) === 0,
  );
  const versions = new Set(services.flatMap((service) => service.versions));
  return (
    <>
      {ended.length === 0 && versions.size < 2 ? null : (
        <section class="attention" aria-label="Services need attention">
          {ended.map((name) => (
            <p key={name}>
              <strong>No {name} reports that it runs.</strong>{' '}
              <LastTime service={services.find(({ service }) => service === name)} />{' '}
              {name === 'write-gateway'
                ? 'Nothing is accepted.'
                : 'What is accepted waits, and is sent when one runs again.'}
            </p>
          ))}
          {versions.size < 2 ? null : (
            <p>
              <strong>Services of several versions run</strong> ({[...versions].join(', ')}): an upgrade is under way,
              or was not finished.
            </p>
          )}
        </section>
      )}
      <ul class="services fine" aria-label="Services">
        {services.map(({ service, processes, versions: own }) => (
          <li key={service}>
            {service} <b>{grouped(processes)}</b> {own.join(', ')}
          </li>
        ))}
      </ul>
    </>
  );
}

function LastTime({ service }: { readonly service: OverviewService | undefined }) {
  if (service === undefined) return <>None has in this time.</>;
  return (
    <>
      The last one did <Moment of={service.lastTime} />.
    </>
  );
}

const totals = [
  ['accepted', 'Accepted', undefined],
  ['written', 'Written', undefined],
  ['failed', 'Failed', 'bad'],
  ['unknown', 'Outcome unknown', 'unsure'],
  ['retried', 'To be tried again', undefined],
] as const;

function Totals({ overview: { points, startTime, span } }: { readonly overview: Overview }) {
  return (
    <dl class="totals" aria-label={`Records of the last ${span}`}>
      {totals.map(([name, title, tone]) => {
        const known = points.flatMap((point) => point[name] ?? []);
        const sum = known.reduce((total, value) => total + value, 0);
        const href = hrefOf('operations', { hasFailures: 'true', since: startTime });
        return (
          <div key={name} class={sum > 0 ? tone : undefined}>
            <dt>{title}</dt>
            <dd>
              {known.length === 0 ? 'not known' : grouped(sum)}
              {tone === 'bad' && sum > 0 ? <a href={href}>Show</a> : null}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

type Values = (of: (point: OverviewPoint) => number | undefined) => Series['values'];

function Charts({ overview }: { readonly overview: Overview }) {
  const { points, lanes, span, stepSeconds } = overview;
  const frame = { times: points.map(({ time }) => time), tick: ticks[span] };
  const values: Values = (of) => points.map((point) => of(point));
  const perMinute: Values = (of) =>
    points.map((point) => {
      const value = of(point);
      return value === undefined ? undefined : value / (stepSeconds / 60);
    });
  return (
    <div class="charts">
      <Chart {...frame} title="Records" unit="a minute" format={rate} series={recordLines(perMinute)} />
      <Chart
        {...frame}
        title="Latency"
        unit="median and 95th percentile"
        format={duration}
        series={timeLines(values)}
      />
      <Chart
        {...frame}
        title="Backlog"
        unit="calls that wait, in the longest queues"
        format={whole}
        isWhole
        series={queueLines(lanes, values)}
      />
      <Chart
        {...frame}
        title="Providers"
        unit="failed calls and blocked accounts"
        note="Errors are calls that failed as a whole: no answer, 503, refused credentials, a limit. Refused records are under Failed."
        format={whole}
        isWhole
        series={providerLines(points, values)}
      />
    </div>
  );
}

function recordLines(values: Values): Series[] {
  return [
    { name: 'accepted', tone: 'busy', values: values(({ accepted }) => accepted) },
    { name: 'written', tone: 'good', values: values(({ written }) => written) },
    {
      name: 'failed or unknown',
      tone: 'bad',
      values: values(({ failed, unknown }) => (failed === undefined ? unknown : failed + (unknown ?? 0))),
    },
    { name: 'to be tried again', tone: 'unsure', values: values(({ retried }) => retried) },
  ];
}

function timeLines(values: Values): Series[] {
  return [
    { name: 'accept', tone: 'busy', values: values(({ accept }) => accept?.median) },
    { name: 'accept, 95 %', tone: 'accent', values: values(({ accept }) => accept?.p95) },
    { name: 'provider', tone: 'quiet', values: values(({ providerCall }) => providerCall?.median) },
    { name: 'provider, 95 %', tone: 'unsure', values: values(({ providerCall }) => providerCall?.p95) },
  ];
}

function queueLines(lanes: Overview['lanes'], values: Values): Series[] {
  const waiting = (id?: string): Series['values'] =>
    values(({ backlog }) => backlog && (backlog.find(({ laneId }) => laneId === id)?.waiting ?? 0));
  if (lanes.length === 0) return [{ name: 'every account', tone: 'accent', values: waiting() }];
  return lanes.map(({ id, provider, groupRefs }, index) => ({
    name: [provider, groupRefs.join(', ')].filter(Boolean).join(': '),
    tone: tones[index % tones.length] ?? 'accent',
    values: waiting(id),
  }));
}

/** A process that counts errors and blocks also counts written records. Without that figure the others are not known. */
function providerLines(points: Overview['points'], values: Values): Series[] {
  const met = [...new Set(points.flatMap((point) => point.providers.map(({ provider }) => provider)))];
  return (met.length === 0 ? ['every provider'] : met).flatMap((provider, index): Series[] => {
    const valuesOf = (name: 'errors' | 'blocks') =>
      values(({ providers, written }) => {
        const own = providers.find((one) => one.provider === provider)?.[name];
        return own ?? (written === undefined ? undefined : 0);
      });
    return [
      { name: `${provider}: errors`, tone: index === 0 ? 'bad' : 'quiet', values: valuesOf('errors') },
      { name: `${provider}: blocks`, tone: index === 0 ? 'unsure' : 'accent', values: valuesOf('blocks') },
    ];
  });
}

const whole = (value: number): string => grouped(Math.round(value));
const rate = (value: number): string =>
  value === 0 || value >= 10 ? whole(value) : String(Number(value.toPrecision(2)));
const duration = (seconds: number): string =>
  seconds === 0
    ? '0'
    : seconds < 1
      ? `${Number((seconds * 1_000).toPrecision(3))} ms`
      : `${Number(seconds.toPrecision(3))} s`;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', hourCycle: 'h23' });
const ticks: Readonly<Record<OverviewSpan, (moment: Date) => string>> = {
  hour: (moment) => clock.format(moment),
  day: (moment) => clock.format(moment),
  week: (moment) => weekday.format(moment),
};
