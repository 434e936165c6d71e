import { pluralize, grouped, laneCallsMax, laneStateOf, type Lane } from '@sluice/types';
import { Attention } from '../parts/attention';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { fromNow, inFull } from '../format';
import { goTo, hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 2_000;

/** The queues of the provider accounts: what waits, and what holds it back. */
export function LanesPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const pageToken = query.get('pageToken');
  const isWaiting = query.get('waiting') === 'true';
  const filter = isWaiting ? { waiting: 'true' } : {};
  const list = useLoad(
    query.toString(),
    (signal) =>
      apiOf(session.apiKey, session.project.id).listLanes(
        { pageSize, waiting: isWaiting, ...(pageToken === null ? {} : { pageToken }) },
        { signal },
      ),
    { everyMs },
  );
  const next = list.value?.pagination.nextPageToken;
  return (
    <>
      <PageHead
        title="Lanes"
        lead="Each provider account has one. When the provider refuses a call, all of its lane waits."
      />
      <Attention session={session} />
      <form class="filters" role="search">
        <label class="check">
          <input
            type="checkbox"
            checked={isWaiting}
            onChange={() => goTo(hrefOf('lanes', isWaiting ? {} : { waiting: 'true' }))}
          />
          Only where calls wait
        </label>
      </form>
      {list.error === undefined ? null : <Problem error={list.error} title="The lanes could not be read" />}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : list.value.results.length === 0 ? (
        <Empty title={isWaiting ? 'Nothing waits' : 'No lane yet'}>
          {isWaiting ? 'No call waits to be sent.' : "One appears with the first connection of a customer's account."}
        </Empty>
      ) : (
        <>
          <Table columns={columns} rows={list.value.results} keyOf={({ id }) => id} />
          <Pager
            {...(pageToken === null ? {} : { firstHref: hrefOf('lanes', filter) })}
            {...(next === undefined ? {} : { nextHref: hrefOf('lanes', { ...filter, pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

const counts = [
  ['running', 'Running', 'Being sent'],
  ['ready', 'Ready', 'May be sent now'],
  ['retrying', 'Retrying', 'Wait for the moment of their next attempt'],
  ['inDoubt', 'In doubt', 'Sent; what became of them is being looked up'],
  ['waiting', 'Waiting', 'Wait for an earlier write to the same record'],
] as const;

const columns: readonly Column<Lane>[] = [
  {
    title: 'State',
    width: 'wide',
    phone: 'badge',
    cell: (lane) => (
      <>
        <Badge of={laneStateOf(lane, Date.now())} />
        <StateDetail lane={lane} />
      </>
    ),
  },
  {
    title: 'Account',
    width: 'middle',
    phone: 'name',
    cell: ({ provider, workspaceRef }) => (
      <>
        {provider}
        <div class="fine">{workspaceRef}</div>
      </>
    ),
  },
  {
    title: 'Groups',
    cell: (lane) => {
      const isRefused = ['blocked', 'recovering'].includes(laneStateOf(lane, Date.now()));
      return (
        <>
          {lane.groupRefs.join(', ')}
          {lane.lastError === undefined || !isRefused ? null : <div class="answer bad-text">{lane.lastError}</div>}
        </>
      );
    },
  },
  {
    title: 'Quota',
    width: 'middle',
    phone: 'none',
    cell: ({ quota }) => (
      <>
        {quota === undefined ? null : `${pluralize(quota.limit, 'call')} in ${grouped(quota.windowSeconds)} s`}
        {quota?.left === undefined ? null : <div class="fine">{grouped(quota.left)} left now</div>}
      </>
    ),
  },
  ...counts.map(([name, title, meaning]) => ({
    title,
    meaning,
    width: 'narrow' as const,
    phone: 'none' as const,
    class: 'number',
    cell: ({ calls }: Lane) => (
      <span class={calls[name] === 0 ? 'fine' : undefined}>
        {calls[name] < laneCallsMax ? grouped(calls[name]) : `${grouped(laneCallsMax)}+`}
      </span>
    ),
  })),
];

/** What the state means for this lane, and since when. */
function StateDetail({ lane }: { readonly lane: Lane }) {
  const { blockedUntil, callsAtOnceMax, lastFailure, readySince, held = [] } = lane;
  switch (laneStateOf(lane, Date.now())) {
    case 'blocked':
      return (
        <div class="fine" title={inFull(blockedUntil ?? '')}>
          asked again {fromNow(blockedUntil ?? '')}
        </div>
      );
    case 'failing':
      return (
        <div class="fine">
          {lastFailure?.class}
          {lastFailure?.status === undefined ? '' : `, status ${lastFailure.status}`},{' '}
          {fromNow(lastFailure?.time ?? '')}
        </div>
      );
    case 'stalled':
      return <div class="fine">nothing sent, waiting since {fromNow(readySince ?? '').replace(' ago', '')}</div>;
    case 'held':
      return <div class="fine">{held.map(({ groupRef }) => groupRef).join(', ')}</div>;
    case 'recovering':
      return <div class="fine">{grouped(callsAtOnceMax ?? 1)} at once</div>;
    case 'open':
  }
  return null;
}
