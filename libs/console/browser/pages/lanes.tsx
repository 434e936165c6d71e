import { grouped, laneCallsMax, laneStateOf, pluralize, type Lane, type LaneState } from '@sluice/types';
import { Attention } from '../parts/attention';
import { Badge } from '../parts/badge';
import { CustomerName } from '../parts/customer-name';
import { Empty } from '../parts/empty';
import { issuesOf } from '../parts/field';
import { FoldedFilters } from '../parts/folded-filters';
import { GuideLink } from '../parts/guide-link';
import { Pager } from '../parts/pager';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { SearchBox } from '../parts/search-box';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { atMost, fromNow, inFull } from '../format';
import { goTo, hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 2_000;

/** The queues of the provider accounts: what waits, and what holds it back. What ails stands first. */
export function LanesPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const { pageToken, ...filter } = Object.fromEntries(query);
  const isWaiting = filter['waiting'] === 'true';
  const search = filter['search'] ?? '';
  const list = useLoad(
    query.toString(),
    (signal) => {
      const asked = { pageSize, waiting: isWaiting, order: 'sick-first' as const };
      const more = { ...(search === '' ? {} : { search }), ...(pageToken === undefined ? {} : { pageToken }) };
      return apiOf(session.apiKey, session.project.id).listLanes({ ...asked, ...more }, { signal });
    },
    { everyMs },
  );
  const next = list.value?.pagination.nextPageToken;
  const issue = issuesOf(list.error).find(({ name }) => name === 'search');
  return (
    <>
      <PageHead
        title="Lanes"
        lead={
          <>
            Each provider account has one. When the provider refuses a call, all of its lane waits.{' '}
            <GuideLink of="lane">States</GuideLink>
          </>
        }
      />
      <Attention session={session} />
      <form class="filters toolbar" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchBox
          value={search}
          placeholder="Customer or account"
          label="Search lanes"
          issue={issue}
          onSearch={(text) => goTo(hrefOf('lanes', { ...filter, search: text }))}
        />
        <FoldedFilters count={isWaiting ? 1 : 0}>
          <label class="check">
            <input
              type="checkbox"
              checked={isWaiting}
              onChange={() => goTo(hrefOf('lanes', { ...filter, waiting: isWaiting ? undefined : 'true' }))}
            />
            Only where calls wait
          </label>
          {isWaiting || search !== '' ? <a href={hrefOf('lanes')}>Clear</a> : null}
        </FoldedFilters>
      </form>
      {list.error === undefined || issue !== undefined ? null : (
        <Problem error={list.error} title="The lanes could not be read" />
      )}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : list.value.results.length === 0 ? (
        <NoLane isSearch={search !== ''} isWaiting={isWaiting} />
      ) : (
        <>
          <Table columns={columns} rows={list.value.results} keyOf={({ id }) => id} isClickable />
          <Pager
            {...(pageToken === undefined ? {} : { firstHref: hrefOf('lanes', filter) })}
            {...(next === undefined ? {} : { nextHref: hrefOf('lanes', { ...filter, pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

function NoLane({ isSearch, isWaiting }: { readonly isSearch: boolean; readonly isWaiting: boolean }) {
  if (isSearch) return <Empty title="Nothing matches">No customer and no account begins so.</Empty>;
  if (isWaiting) return <Empty title="Nothing waits">No call waits to be sent.</Empty>;
  return <Empty title="No lane yet">One appears with the first connection of a customer's account.</Empty>;
}

const counts = [
  ['running', 'being sent'],
  ['ready', 'ready'],
  ['retrying', 'retrying'],
  ['inDoubt', 'in doubt'],
  ['waiting', 'behind an earlier write'],
] as const;

/** `2 ready, 1 retrying`. */
function callsOf({ calls }: Lane): string {
  return counts
    .filter(([name]) => calls[name] > 0)
    .map(([name, title]) => `${atMost(calls[name], laneCallsMax, calls[name] === laneCallsMax)} ${title}`)
    .join(', ');
}

const columns: readonly Column<Lane>[] = [
  {
    title: 'Customer',
    width: 'wide',
    phone: 'name',
    tip: ({ groupRefs }) => groupRefs.join(', '),
    cell: ({ groupRefs: [groupRef, ...others], groupNames = [], workspaceRef }) =>
      groupRef === undefined ? (
        <span class="fine">{workspaceRef}</span>
      ) : (
        <a class="whole-row" href={hrefOf('operations', { groupRef })}>
          <CustomerName
            groupRef={others.length === 0 ? groupRef : `${groupRef} and ${others.length} more`}
            groupName={groupNames[0] === groupRef ? undefined : groupNames[0]}
          />
        </a>
      ),
  },
  { title: 'State', class: 'state', phone: 'badge', cell: (lane) => <Badge of={laneStateOf(lane, Date.now())} /> },
  {
    title: 'Account',
    width: 'middle',
    phone: 'none',
    tip: ({ provider, workspaceRef = '' }) => `${provider} ${workspaceRef}`,
    cell: ({ provider, workspaceRef }) => (
      <>
        {provider} <span class="fine">{workspaceRef}</span>
      </>
    ),
  },
  { title: 'What happens, and what to do', cell: (lane) => <StateDetail lane={lane} /> },
  {
    title: 'Calls',
    meaning: 'Calls that have not ended',
    width: 'middle',
    phone: 'aside',
    cell: (lane) => callsOf(lane) || <span class="fine">none</span>,
  },
  {
    title: 'Quota',
    meaning: 'Calls that the account may make',
    width: 'middle',
    phone: 'none',
    tip: ({ quota }) =>
      quota === undefined ? '' : `${pluralize(quota.limit, 'call')} in ${grouped(quota.windowSeconds)} s`,
    cell: ({ quota }) =>
      quota === undefined ? null : (
        <span class="fine">
          {quota.left === undefined ? '' : `${grouped(quota.left)} of `}
          {grouped(quota.limit)}
        </span>
      ),
  },
];

/** What the state means for this lane, when it ends, and who can end it. */
function StateDetail({ lane }: { readonly lane: Lane }) {
  const {
    provider,
    workspaceRef,
    blockedUntil = '',
    lastError,
    callsAtOnceMax = 1,
    lastFailure,
    readySince = '',
    held = [],
  } = lane;
  const state: LaneState = laneStateOf(lane, Date.now());
  switch (state) {
    case 'blocked':
      return (
        <span title={`${inFull(blockedUntil)}${lastError === undefined ? '' : `: ${lastError}`}`}>
          asked again {fromNow(blockedUntil)}
          {lastError === undefined ? null : <span class="bad-text"> {lastError}</span>}
        </span>
      );
    case 'failing':
      return (
        <>
          {provider} {lastFailure?.status === undefined ? 'did not answer' : `answered ${lastFailure.status}`}{' '}
          {fromNow(lastFailure?.time ?? '')}; tried again by itself
        </>
      );
    case 'stalled':
      return <>nothing sent for {fromNow(readySince).replace(' ago', '')}: check that an executor runs</>;
    case 'held': {
      const [one, ...others] = held;
      return one === undefined ? null : (
        <>
          <a href={hrefOf('customers', { groupRefPrefix: one.groupRef })}>
            Connect {one.groupName ?? one.groupRef} again
          </a>
          {others.length === 0 ? '' : ` and ${others.length} more`}
        </>
      );
    }
    case 'recovering':
      return <>{pluralize(callsAtOnceMax, 'call')} at once until they succeed</>;
    case 'open':
  }
  // Where there is no column for it, it tells two lanes of a customer apart.
  return (
    <span class="phone-only">
      {provider} {workspaceRef}
    </span>
  );
}
