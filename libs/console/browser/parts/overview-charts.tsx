import { grouped, type Overview, type OverviewPoint, type OverviewSpan } from '@sluice/types';
import { Chart, tones, type Series } from './chart';

interface ChartsOptions {
  readonly overview: Overview;
  /** Those of its points that are shown. */
  readonly points: Overview['points'];
  /** A part of the time was dragged over. */
  readonly onBrush: (since: Date, until: Date) => void;
}

type Values = (of: (point: OverviewPoint) => number | undefined) => Series['values'];

/** The figures of the span, step by step. */
export function Charts({ overview: { lanes, span, stepSeconds }, points, onBrush }: ChartsOptions) {
  const frame = {
    times: points.map(({ time }) => time),
    tick: ticks[span],
    stepMs: stepSeconds * 1_000,
    onBrush,
  };
  const values: Values = (of) => points.map((point) => of(point));
  const perMinute: Values = (of) =>
    points.map((point) => {
      const value = of(point);
      return value === undefined ? undefined : value / (stepSeconds / 60);
    });
  return (
    <div class="charts">
      <Chart
        {...frame}
        title="Records"
        unit="records a minute"
        shortUnit="a minute"
        format={rate}
        series={recordLines(perMinute)}
      />
      <Chart
        {...frame}
        title="Latency"
        unit="seconds or milliseconds that a call takes"
        format={duration}
        series={timeLines(values)}
      />
      <Chart
        {...frame}
        title="Backlog"
        unit="calls that wait, in the accounts with the longest queues"
        shortUnit="calls"
        format={whole}
        isWhole
        series={queueLines(lanes, values)}
      />
      <Chart
        {...frame}
        title="Providers"
        unit="events in each step"
        note="No answer, 503, credentials refused, a limit. Refused records are under Failed."
        format={whole}
        isWhole
        series={providerLines(points, values)}
      />
    </div>
  );
}

function recordLines(values: Values): Series[] {
  return [
    { name: 'accepted', meaning: 'from your backend', tone: 'busy', values: values(({ accepted }) => accepted) },
    { name: 'written', meaning: 'the provider has them', tone: 'good', values: values(({ written }) => written) },
    {
      name: 'failed or outcome unknown',
      meaning: 'not tried again by themselves',
      tone: 'bad',
      values: values(({ failed, unknown }) => (failed === undefined ? unknown : failed + (unknown ?? 0))),
    },
    {
      name: 'to be tried again',
      meaning: 'by themselves, later',
      tone: 'unsure',
      values: values(({ retried }) => retried),
    },
  ];
}

function timeLines(values: Values): Series[] {
  return [
    { name: 'accept', meaning: 'half take less', tone: 'busy', values: values(({ accept }) => accept?.median) },
    { name: 'accept, 95 %', meaning: 'take less', tone: 'accent', values: values(({ accept }) => accept?.p95) },
    {
      name: 'provider',
      meaning: 'half of its calls take less',
      tone: 'quiet',
      values: values(({ providerCall }) => providerCall?.median),
    },
    {
      name: 'provider, 95 %',
      meaning: 'take less',
      tone: 'unsure',
      values: values(({ providerCall }) => providerCall?.p95),
    },
  ];
}

function queueLines(lanes: Overview['lanes'], values: Values): Series[] {
  const waiting = (id?: string): Series['values'] =>
    values(({ backlog }) => backlog && (backlog.find(({ laneId }) => laneId === id)?.waiting ?? 0));
  if (lanes.length === 0) return [{ name: 'calls', tone: 'accent', values: waiting() }];
  return lanes.map(({ id, provider, groupRefs }, index) => ({
    name: [provider, groupRefs.join(', ')].filter(Boolean).join(': '),
    tone: tones[index % tones.length] ?? 'accent',
    values: waiting(id),
  }));
}

/** A process that counts errors and blocks also counts written records. Without that figure the others are not known. */
function providerLines(points: Overview['points'], values: Values): Series[] {
  const met = [...new Set(points.flatMap((point) => point.providers.map(({ provider }) => provider)))];
  return (met.length === 0 ? [undefined] : met).flatMap((provider, index): Series[] => {
    const valuesOf = (name: 'errors' | 'blocks') =>
      values(({ providers, written }) => {
        const own = providers.find((one) => one.provider === provider)?.[name];
        return own ?? (written === undefined ? undefined : 0);
      });
    const named = (name: string): string => (provider === undefined ? name : `${provider}: ${name}`);
    return [
      {
        name: named('errors'),
        meaning: 'calls that failed as a whole',
        tone: index === 0 ? 'bad' : 'quiet',
        values: valuesOf('errors'),
      },
      {
        name: named('blocks'),
        meaning: 'accounts that the provider made wait',
        tone: index === 0 ? 'unsure' : 'accent',
        values: valuesOf('blocks'),
      },
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
