import { grouped, pluralize, type Overview } from '@sluice/types';
import { hrefOf } from '../use-route';
import { GuideLink } from './guide-link';

interface Tile {
  readonly title: string;
  /** Undefined: nobody could have counted it. */
  readonly value: number | undefined;
  readonly tone?: 'good' | 'bad' | 'busy' | 'unsure';
  readonly href: string;
  /** What it means. */
  readonly hint: string;
  /** Of what is read from the tables, which may be more. */
  readonly isNow?: boolean;
}

function tilesOf({ records, startTime: since, span }: Overview): readonly Tile[] {
  const operations = (query: Record<string, string>): string => hrefOf('operations', query);
  return [
    { title: 'Accepted', value: records.accepted, href: operations({ since }), hint: `in the last ${span}` },
    {
      title: 'Written',
      value: records.written,
      tone: 'good',
      href: operations({ status: 'success', since }),
      hint: 'the provider has them',
    },
    {
      title: 'Failed',
      value: records.failed,
      tone: 'bad',
      href: operations({ hasFailures: 'true', since }),
      hint: 'not tried again by themselves',
    },
    {
      title: 'Outcome unknown',
      value: records.unknown,
      tone: 'unsure',
      href: operations({ hasFailures: 'true', since }),
      hint: 'the provider may have them',
    },
    {
      title: 'Waiting',
      value: records.waiting,
      tone: 'busy',
      href: operations({ open: 'waiting' }),
      hint: 'to be sent, or tried again',
      isNow: true,
    },
    {
      title: 'Filling',
      value: records.filling,
      href: operations({ open: 'filling' }),
      hint: 'in auto-batches that take more',
      isNow: true,
    },
    {
      title: 'Held',
      value: records.held,
      tone: 'unsure',
      href: operations({ open: 'held' }),
      hint: 'for credentials, or a block',
      isNow: true,
    },
  ];
}

/** The records of the span, which add up to what was accepted, each with its operations. */
export function Tiles({ overview }: { readonly overview: Overview }) {
  const { records, span } = overview;
  const shown = tilesOf(overview).filter(({ title, value }) => title !== 'Outcome unknown' || (value ?? 0) > 0);
  return (
    <section aria-label={`Records of the last ${span}`}>
      <ul class="tiles">
        <RateTile overview={overview} />
        {shown.map(({ title, value, tone, href, hint, isNow = false }) => (
          <li key={title}>
            <a href={href} class={(value ?? 0) > 0 ? tone : undefined}>
              <span>{title}</span>
              <b>{value === undefined ? 'not known' : `${isNow && records.isMore ? '≥ ' : ''}${grouped(value)}`}</b>
              <span class="hint">{hint}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="fine sum">
        {sumOf(overview)} <GuideLink of="console overview">What the tiles count</GuideLink>
      </p>
    </section>
  );
}

/** How the tiles make up what was accepted; what is not known is said. */
function sumOf({ records, failures, span }: Overview): string {
  const { accepted, failed, unknown = 0, earlier = 0, uncounted = 0, isMore } = records;
  const now = `Waiting, filling and held are of this moment, the others of the last ${span}.`;
  // The lists read the tables, and a process stores what it counted up to 15 seconds later: after a burst the sum is wrong in every direction.
  const late = failed === undefined || failures.completeSince !== undefined ? 0 : failures.records - failed - unknown;
  if (late > 0)
    return `${now} ${pluralize(late, 'failed record')} of the lists below or more are not in the tiles: counted within seconds, or ended in a process that was killed.`;
  if (isMore) return `${now} More waits than is counted here, so they do not add up to what was accepted.`;
  if (accepted === undefined) return `${now} No process was running that counts accepted records.`;
  const [before, missing] = [grouped(earlier), grouped(uncounted)];
  if (earlier > 0) return `${now} Of these ${before} began before that time, or by a retry.`;
  if (uncounted > 0)
    return `${now} ${missing} more are not counted yet, or ended with an installation or in a process that was killed.`;
  return now;
}

function RateTile({ overview: { successRate: rate, successRateBefore: before, span, startTime } }: TileOptions) {
  const change = rate === undefined || before === undefined ? undefined : Math.round((rate - before) * 1_000) / 10;
  return (
    <li>
      <a href={hrefOf('operations', { hasFailures: 'true', since: startTime })}>
        <span>Success rate</span>
        <b>{rate === undefined ? 'none ended' : percent(rate)}</b>
        <span class="hint">written, of those that ended</span>
        <span class="change">{change === undefined ? '' : `${changeOf(change)} the ${span} before`}</span>
      </a>
    </li>
  );
}

interface TileOptions {
  readonly overview: Overview;
}

const changeOf = (points: number): string =>
  points === 0 ? 'as in' : `${points > 0 ? '▲' : '▼'} ${Math.abs(points)} points on`;

/** Never 100 % while one failed. */
const percent = (rate: number): string => `${Math.floor(rate * 1_000) / 10} %`;
