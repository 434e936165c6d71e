import { overviewSpans, type Overview, type OverviewSpan } from '@sluice/types';
import { Attention } from '../parts/attention';
import { Checklist } from '../parts/checklist';
import { FailingEndpoints } from '../parts/failing-endpoints';
import { Charts } from '../parts/overview-charts';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { Services, ServicesAttention } from '../parts/services';
import { Skeleton } from '../parts/skeleton';
import { Tiles } from '../parts/overview-tiles';
import { TopFailures } from '../parts/top-failures';
import { ZoomForm } from '../parts/zoom-form';
import { goTo, hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

/** The longer the span, the less a minute changes it. */
const everyMs: Readonly<Record<OverviewSpan, number>> = { hour: 5_000, day: 30_000, week: 60_000 };

/** What the project wrote lately, and what needs attention first. */
export function OverviewPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const span = overviewSpans.find((name) => name === query.get('span')) ?? 'hour';
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error } = useLoad(span, (signal) => api.getOverview({ span }, { signal }), { everyMs: everyMs[span] });
  const spans = (
    <nav class="spans" aria-label="How far back">
      {overviewSpans.map((name) => (
        <a key={name} href={hrefOf('overview', { span: name })} aria-current={name === span ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
  return (
    <>
      <PageHead title="Overview" actions={spans} />
      <Attention session={session} />
      <FailingEndpoints session={session} />
      {error === undefined ? null : <Problem error={error} title="The figures could not be read" />}
      {value === undefined ? error === undefined ? <Loading /> : null : <Figures overview={value} query={query} />}
    </>
  );
}

function Figures({ overview, query }: { readonly overview: Overview; readonly query: URLSearchParams }) {
  const { services, setup, span, points } = overview;
  const zoom = (since: Date, until: Date): void =>
    goTo(hrefOf('overview', { span, since: since.toISOString(), until: until.toISOString() }));
  const [since, until] = [query.get('since') ?? undefined, query.get('until') ?? undefined];
  const within = points.filter(({ time }) => isWithin(Date.parse(time), since, until));
  // Its project is new: there is nothing to draw.
  const isEmpty = setup?.hasWrite === false;
  return (
    <>
      <ServicesAttention services={services} />
      {setup === undefined ? null : <Checklist setup={setup} />}
      {isEmpty ? null : (
        <>
          <Tiles overview={overview} />
          <TopFailures overview={overview} />
          <ZoomForm overview={overview} since={since} until={until} isOutside={within.length === 0} onZoom={zoom} />
          <Charts overview={overview} points={within.length === 0 ? points : within} onBrush={zoom} />
        </>
      )}
      <Services services={services} />
    </>
  );
}

/** What cannot be read as a moment bounds nothing. */
function isWithin(atMs: number, since: string | undefined, until: string | undefined): boolean {
  return !(atMs < Date.parse(since ?? '')) && !(atMs >= Date.parse(until ?? ''));
}

function Loading() {
  return (
    <>
      <Skeleton of="tiles" rows={7} />
      <div class="charts">
        <Skeleton of="card" />
        <Skeleton of="card" />
      </div>
    </>
  );
}
