import type { GroupCounts, GroupHealthListReply, Integration } from '@sluice/types';
import { useRef } from 'preact/hooks';
import { CustomerList } from '../parts/customer-list';
import { Empty } from '../parts/empty';
import { issuesOf } from '../parts/field';
import { FoldedFilters } from '../parts/folded-filters';
import { GuideLink } from '../parts/guide-link';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { SearchBox } from '../parts/search-box';
import { Skeleton } from '../parts/skeleton';
import { goTo, hrefOf } from '../use-route';
import { apiOf, isOffered, type Session } from '../session';
import { useLoad } from '../use-load';

const everyMs = 5_000;

/** Customers of the project with what each has installed: sick ones first, then by name. */
export function CustomersPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const api = apiOf(session.apiKey, session.project.id);
  const integrations = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const list = useLoad(
    query.toString(),
    (signal) => api.listGroupHealth(Object.fromEntries(query) as object, { signal }),
    { everyMs },
  );
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  // Until the next answer comes the last one stays: nothing moves while one types.
  const last = useRef<GroupHealthListReply | undefined>(undefined);
  if (list.value !== undefined) last.current = list.value;
  const shown = list.error === undefined ? (list.value ?? last.current) : list.value;
  const issues = issuesOf(list.error);
  const isBesideField = issues.length > 0 && issues.every(({ name }) => name === 'search');
  const next = shown?.pagination.nextPageToken;
  return (
    <>
      <Head session={session} />
      <States query={query} counts={shown?.counts} />
      <div class="filters" role="search">
        <SearchBox
          value={query.get('search') ?? ''}
          label="Customer"
          placeholder="Name or ref begins with…"
          issue={isBesideField ? issues[0] : undefined}
          onSearch={(search) => goTo(hrefOf('customers', { ...filters, search }))}
        />
        <FoldedFilters count={query.has('integrationId') ? 1 : 0}>
          <IntegrationFilter query={query} integrations={integrations.value ?? []} />
          {query.size === 0 ? null : <a href={hrefOf('customers')}>Clear</a>}
        </FoldedFilters>
      </div>
      {list.error === undefined || isBesideField ? null : (
        <Problem error={list.error} title="The customers could not be read" />
      )}
      {shown === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : (
        <>
          {shown.results.length > 0 ? (
            <CustomerList
              session={session}
              groups={shown.results}
              integrations={integrations.value ?? []}
              onChange={list.reload}
            />
          ) : next === undefined ? (
            <Nobody isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <Empty title="None so far">Customers further down were not searched yet.</Empty>
          )}
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf('customers', filters) } : {})}
            {...(next === undefined ? {} : { nextHref: hrefOf('customers', { ...filters, pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

function Head({ session }: { readonly session: Session }) {
  return (
    <PageHead
      title="Customers"
      lead={
        <>
          Each <GuideLink of="customer">customer</GuideLink> with what they installed. What is sick stands first.
        </>
      }
      actions={
        isOffered(session, 'frontend') ? (
          <a class="button primary" href={hrefOf('customers/new')}>
            Connect a customer
          </a>
        ) : null
      }
    />
  );
}

const states = [
  [undefined, 'all', 'groups'],
  ['unhealthy', 'unhealthy', 'unhealthy'],
  ['bad_credentials', 'credentials refused', 'badCredentials'],
  ['not_installed', 'not installed', 'notInstalled'],
] as const;

interface StatesOptions {
  readonly query: URLSearchParams;
  /** Absent until they are read. */
  readonly counts: GroupCounts | undefined;
}

/** How many are in each state; each leads to those. */
function States({ query, counts }: StatesOptions) {
  const { pageToken: _first, state: chosen, ...filters } = Object.fromEntries(query);
  return (
    <nav class="states" aria-label="Customers by state">
      {states.map(([state, title, name]) => (
        <a
          key={title}
          href={hrefOf('customers', { ...filters, state })}
          aria-current={state === chosen ? 'true' : undefined}
        >
          {title} <b>{counts === undefined ? '–' : shownCount(counts[name])}</b>
        </a>
      ))}
    </nav>
  );
}

const shownCount = ({ count, isAtLeast }: GroupCounts['groups']): string =>
  `${count.toLocaleString('en')}${isAtLeast === true ? '+' : ''}`;

interface FilterOptions {
  readonly query: URLSearchParams;
  readonly integrations: readonly Integration[];
}

function IntegrationFilter({ query, integrations }: FilterOptions) {
  const { pageToken: _first, integrationId = '', ...filters } = Object.fromEntries(query);
  return (
    <label>
      <span class="hidden">Integration</span>
      <select
        value={integrationId}
        onChange={({ currentTarget }) => goTo(hrefOf('customers', { ...filters, integrationId: currentTarget.value }))}
      >
        <option value="">All integrations</option>
        {integrations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Nobody({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="Nothing matches">No customer has all of these. Change a filter, or clear them.</Empty>;
  return (
    <Empty title="No customer yet">
      <a href={hrefOf('customers/new')}>Connect a customer</a>, or let them install an integration through your install
      page.
    </Empty>
  );
}
