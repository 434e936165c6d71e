import { pluralize, type InstallationHealth, type WaitingRecords } from '@sluice/types';
import { Badge } from '../parts/badge';
import { CustomerName } from '../parts/customer-name';
import { Empty } from '../parts/empty';
import { issuesOf } from '../parts/field';
import { Moment } from '../parts/moment';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { SearchBox } from '../parts/search-box';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { fromNow, inFull } from '../format';
import { goTo, hrefOf } from '../use-route';
import { apiOf, baseUrl, isOffered, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 5_000;

/** Installations of the project, customer by customer: whether each works, what waits, and what was wrong last. */
export function CustomersPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const { badCredentials, ...asked } = Object.fromEntries(query);
  const list = useLoad(
    query.toString(),
    (signal) =>
      apiOf(session.apiKey, session.project.id).listInstallationHealth(
        { ...(asked as object), ...(badCredentials === 'true' ? { badCredentials: true } : {}), pageSize },
        { signal },
      ),
    { everyMs },
  );
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  const { results = [], pagination } = list.value ?? {};
  const next = pagination?.nextPageToken;
  const issues = issuesOf(list.error);
  const isBesideField = issues.length > 0 && issues.every(({ name }) => name === 'groupRefPrefix');
  return (
    <>
      <PageHead
        title="Customers"
        lead="Each row is an integration that a customer has installed."
        actions={
          isOffered(session, 'frontend') ? (
            <a class="button primary" href={hrefOf('customers/new')}>
              Connect a customer
            </a>
          ) : null
        }
      />
      <CustomerFilters query={query} issues={isBesideField ? issues : []} />
      {list.error === undefined || isBesideField ? null : (
        <Problem error={list.error} title="The customers could not be read" />
      )}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : results.length === 0 ? (
        <Nobody session={session} isFiltered={Object.keys(filters).length > 0} />
      ) : (
        <>
          <Table columns={columns} rows={results} keyOf={({ id }) => id} isClickable />
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf('customers', filters) } : {})}
            {...(next === undefined ? {} : { nextHref: hrefOf('customers', { ...filters, pageToken: next }) })}
          />
        </>
      )}
    </>
  );
}

interface FilterOptions {
  readonly query: URLSearchParams;
  readonly issues: ReturnType<typeof issuesOf>;
}

function CustomerFilters({ query, issues }: FilterOptions) {
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  return (
    <div class="filters" role="search">
      <SearchBox
        value={query.get('groupRefPrefix') ?? ''}
        label="Group begins with"
        placeholder="Group begins with…"
        issue={issues[0]}
        onSearch={(groupRefPrefix) => goTo(hrefOf('customers', { ...filters, groupRefPrefix }))}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('badCredentials') === 'true'}
          onChange={({ currentTarget }) =>
            goTo(hrefOf('customers', { ...filters, badCredentials: currentTarget.checked ? 'true' : undefined }))
          }
        />
        Refused credentials
      </label>
      {query.size === 0 ? null : <a href={hrefOf('customers')}>Clear</a>}
    </div>
  );
}

const columns: readonly Column<InstallationHealth>[] = [
  { title: 'Health', width: 'middle', phone: 'badge', cell: ({ healthStatus }) => <Badge of={healthStatus} /> },
  {
    title: 'Customer',
    width: 'wide',
    phone: 'name',
    cell: ({ id, groupRef, groupName }) => (
      <a class="whole-row" href={hrefOf(`customers/${id}`)} title={`Installation ${id}`}>
        <CustomerName groupRef={groupRef} groupName={groupName} />
      </a>
    ),
  },
  {
    title: 'Integration',
    width: 'middle',
    cell: ({ integrationName, provider, connection }) => (
      <>
        {integrationName} <div class="fine">{[provider, connection.workspaceRef].filter(Boolean).join(' ')}</div>
      </>
    ),
  },
  {
    title: 'Connection',
    width: 'middle',
    phone: 'none',
    cell: ({ connection }) => (
      <>
        <Badge of={connection.status} />
        <Since of={connection.since} />
      </>
    ),
  },
  {
    title: 'Waiting',
    width: 'middle',
    phone: 'aside',
    cell: (installation) => <Waiting installation={installation} />,
  },
  {
    title: 'Last error',
    phone: 'none',
    cell: ({ lastError }) =>
      lastError === undefined ? (
        <span class="fine">none</span>
      ) : (
        <div class="answer">
          <a href={hrefOf(`operations/${lastError.operationId}`)}>
            <Moment of={lastError.time} />
          </a>{' '}
          {lastError.message}
        </div>
      ),
  },
  { title: 'Installed', width: 'middle', phone: 'none', cell: ({ createTime }) => <Moment of={createTime} /> },
];

function Since({ of }: { readonly of: string }) {
  return (
    <div class="fine" title={inFull(of)}>
      {fromNow(of) === 'now' ? 'just now' : `since ${fromNow(of).replace(' ago', '')}`}
    </div>
  );
}

/** How much, as far as it was counted. */
export const recordsOf = ({ records, isAtLeast }: WaitingRecords): string =>
  `${isAtLeast === true ? 'at least ' : ''}${pluralize(records, 'record')}`;

function Waiting({ installation: { waiting, connection } }: { readonly installation: InstallationHealth }) {
  if (waiting.records === 0 && waiting.isAtLeast !== true) return <span class="fine">nothing</span>;
  const isHeld = connection.status === 'bad_credentials';
  return (
    <span class={isHeld ? 'bad-text' : undefined}>
      {recordsOf(waiting)} {isHeld ? 'held' : ''}
    </span>
  );
}

function Nobody({ session, isFiltered }: { readonly session: Session; readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="Nothing matches">No installation has all of these. Change a filter, or clear them.</Empty>;
  return (
    <Empty title="No installation yet" command={installCommand(session)}>
      A group installs an integration through your install page, or you do it for them:
    </Empty>
  );
}

function installCommand({ project }: Session): string {
  return `curl "${baseUrl}/projects/${project.name}/integrations/INTEGRATION/installations" \\
  -H "x-api-key: $KEY" -H 'content-type: application/json' \\
  -d '{"groupRef":"GROUP","connectionId":"CONNECTION","config":{"content":{"provider":"hubspot"}}}'`;
}
