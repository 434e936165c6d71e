import { pluralize, isOutage, laneStateOf, type Lane } from '@sluice/types';
import { fromNow, inFull } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';
import { Held } from './held';

const everyMs = 5_000;
/** Lanes that are considered, the first in which calls wait: an outage shows in all of them. */
const lanesMax = 100;
/** Connections that are listed; the others are counted. */
const heldMax = 3;

/** What keeps writes from being sent and does not end by itself, or lasts: nothing while all goes well. */
export function Attention({ session }: { readonly session: Session }) {
  const list = useLoad(
    'attention',
    (signal) => apiOf(session.apiKey, session.project.id).listLanes({ waiting: true, pageSize: lanesMax }, { signal }),
    { everyMs },
  );
  const lanes = list.value?.results ?? [];
  const held = lanes.flatMap((lane) => lane.held ?? []);
  const stalled = lanes.filter((lane) => laneStateOf(lane, Date.now()) === 'stalled');
  const outages = [...Map.groupBy(lanes, ({ provider }) => provider)].filter(([, of]) =>
    of.some(({ lastFailure }) => isOutage(lastFailure)),
  );
  if (held.length + stalled.length + outages.length === 0) return null;
  return (
    <section class="attention" aria-label="Needs attention">
      {outages.map(([provider, of]) => (
        <Outage key={provider} provider={provider} lanes={of} />
      ))}
      {stalled.length === 0 ? null : (
        <p>
          <span>
            <strong>{pluralize(stalled.length, 'account')} without progress.</strong> Nothing was sent for a minute:
            check that an executor runs.
          </span>
          <a href={hrefOf('lanes', { waiting: 'true' })}>Lanes</a>
        </p>
      )}
      {held.slice(0, heldMax).map((one) => (
        <Held key={one.connectionId} session={session} held={one} />
      ))}
      {held.length <= heldMax ? null : (
        <p>
          <span>and {pluralize(held.length - heldMax, 'more connection')} with credentials refused</span>
          <a href={hrefOf('lanes', { waiting: 'true' })}>Lanes</a>
        </p>
      )}
    </section>
  );
}

function Outage({ provider, lanes }: { readonly provider: string; readonly lanes: readonly Lane[] }) {
  const failures = lanes.flatMap(({ lastFailure }) =>
    lastFailure !== undefined && isOutage(lastFailure) ? [lastFailure] : [],
  );
  const [last] = failures.toSorted((one, other) => other.time.localeCompare(one.time));
  if (last === undefined) return null;
  const answer = last.status === undefined ? last.class : `${last.class}, status ${last.status}`;
  return (
    <p>
      <span>
        <strong>{provider} is failing.</strong> The last try failed for {failures.length} of{' '}
        {pluralize(lanes.length, 'account')} with waiting writes ({answer},{' '}
        <time dateTime={last.time} title={inFull(last.time)}>
          {fromNow(last.time)}
        </time>
        ). They are tried again by themselves, until their deadline.
      </span>
      <a href={hrefOf('lanes', { waiting: 'true' })}>Lanes</a>
    </p>
  );
}
