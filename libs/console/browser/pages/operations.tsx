import type { FoundBy, Operation, OperationSearchFound } from '@sluice/types';
import { Attention } from '../parts/attention';
import { OperationBadge } from '../parts/badge';
import { CustomerName } from '../parts/customer-name';
import { Empty } from '../parts/empty';
import { issuesOf } from '../parts/field';
import { FilterChips } from '../parts/filter-chips';
import { fieldNames, Filters, filtersOf, StatusTabs } from '../parts/filters';
import { GuideLink } from '../parts/guide-link';
import { Moment } from '../parts/moment';
import { OperationResult } from '../parts/operation-result';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { RetryThese } from '../parts/retry-these';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { inFull, shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 3_000;

/** Operations of the project, newest or failed ones first, a page at a time as the server cuts it. */
export function OperationsPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const api = apiOf(session.apiKey, session.project.id);
  const isSearch = query.has('search') || query.has('recordRef') || query.has('recordId');
  const list = useLoad(
    query.toString(),
    (signal) => {
      const { hasFailures, ...asked } = filtersOf(query);
      const counts = isSearch || query.has('groupRefPrefix') ? {} : { counts: true };
      const failures = hasFailures === 'true' ? { hasFailures: true } : {};
      return api.listOperationsForProject({ ...(asked as object), ...failures, ...counts, pageSize }, { signal });
    },
    // A search for a record reads much, and what it finds is there.
    isSearch ? {} : { everyMs },
  );
  const integrations = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const names = new Map(integrations.value?.map(({ id, name }) => [id, name]));
  const columns = columnsOf(names, query.get('search') ?? '');
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  const { results = [], pagination, search, counts } = list.value ?? {};
  const next = pagination?.nextPageToken;
  const issues = issuesOf(list.error);
  const isBesideFields = issues.length > 0 && issues.every(({ name }) => fieldNames.has(name));
  const filterQuery = new URLSearchParams(filters);
  return (
    <>
      <PageHead
        title="Operations"
        lead={
          <>
            Each write of your backend is an <GuideLink of="operation">operation</GuideLink>: one record, a batch, or an{' '}
            <GuideLink of="auto-batch">auto-batch</GuideLink>.
          </>
        }
      />
      <Attention session={session} />
      <Filters query={filterQuery} issues={issues} />
      <StatusTabs query={filterQuery} counts={counts} />
      <FilterChips query={query} />
      {isOfFailures(query) ? (
        <RetryThese key={query.toString()} session={session} operations={results} onDone={list.reload} />
      ) : null}
      {search === undefined ? null : <Understood text={query.get('search') ?? ''} found={search} results={results} />}
      {list.error === undefined || isBesideFields ? null : (
        <Problem error={list.error} title="The operations could not be read" />
      )}
      {list.value === undefined ? (
        list.error === undefined ? (
          <Skeleton of="table" />
        ) : null
      ) : results.length === 0 && next === undefined ? (
        <Nothing session={session} isFiltered={query.size > 0} />
      ) : (
        <>
          {results.length === 0 ? (
            <Empty title="None so far">Older operations were not searched yet.</Empty>
          ) : (
            <Table columns={columns} rows={results} keyOf={({ id }) => id} isClickable />
          )}
          {next === undefined && query.has('open') && counts?.isAtLeast === true ? (
            <p class="fine">More are open than one list reads.</p>
          ) : null}
          <Pager
            {...(query.has('pageToken') ? { firstHref: hrefOf('operations', filters) } : {})}
            {...(next === undefined ? {} : { nextHref: hrefOf('operations', { ...filters, pageToken: next }) })}
            {...(results.length < pageSize && next !== undefined ? { nextText: 'Search further back →' } : {})}
          />
        </>
      )}
    </>
  );
}

const isOfFailures = (query: URLSearchParams): boolean => query.has('hasFailures') || query.get('status') === 'failure';

/** Groups that are named; the others are counted. */
const groupsMax = 3;

interface UnderstoodOptions {
  readonly text: string;
  readonly found: OperationSearchFound;
  readonly results: readonly Operation[];
}

/** What the searched text was taken for. */
function Understood({ text, found, results }: UnderstoodOptions) {
  const { groups, hasMoreGroups, recordsSearchedSince } = found;
  const isFoundBy = (by: FoundBy) => results.some(({ foundBy = [] }) => foundBy.includes(by));
  const more = groups.length - groupsMax;
  return (
    <p class="fine understood" role="status">
      {groups.length === 0 ? null : (
        <span>
          Operations of{' '}
          {groups.slice(0, groupsMax).map(({ groupRef, groupName }) => (
            <a key={groupRef} href={hrefOf('operations', { groupRef })}>
              <CustomerName groupRef={groupRef} groupName={groupName} />
            </a>
          ))}
          {more > 0 ? ` and ${more}${hasMoreGroups ? '+' : ''} more customers` : ''}
        </span>
      )}
      {isFoundBy('recordRef') ? <span>Operations with the record ref “{text}”</span> : null}
      {isFoundBy('recordId') ? <span>Operations with the record id “{text}” of the provider</span> : null}
      {isFoundBy('operation') ? <span>Operation {text}</span> : null}
      <span>
        {recordsSearchedSince === undefined ? (
          'All records were searched'
        ) : (
          <>
            Records were searched back to <time dateTime={recordsSearchedSince}>{inFull(recordsSearchedSince)}</time>
          </>
        )}
      </span>
    </p>
  );
}

/** @param names of integrations, by id. @param text that was searched for: an operation that is found by a record is opened at it */
function columnsOf(names: ReadonlyMap<string, string>, text: string): readonly Column<Operation>[] {
  return [
    {
      title: 'Customer',
      width: 'wide',
      phone: 'name',
      cell: ({ id, groupRef, groupName, installationId, foundBy = [] }) => (
        <a
          class="whole-row"
          href={hrefOf(`operations/${id}`, {
            records: foundBy.some((by) => by === 'recordRef' || by === 'recordId') ? text : undefined,
          })}
          title={id}
        >
          <CustomerName groupRef={groupRef ?? shortId(installationId)} groupName={groupName} />
        </a>
      ),
    },
    { title: 'Status', width: 'middle', phone: 'badge', cell: (operation) => <OperationBadge operation={operation} /> },
    {
      title: 'Object',
      class: 'short',
      phone: 'none',
      tip: ({ resource, integrationId }) => `${resource} of ${names.get(integrationId) ?? integrationId}`,
      cell: ({ resource }) => resource,
    },
    {
      title: 'Result',
      class: 'clip',
      cell: (operation) => <OperationResult operation={operation} />,
    },
    { title: 'Accepted', width: 'middle', phone: 'aside', cell: ({ createTime }) => <Moment of={createTime} /> },
    {
      title: 'Operation',
      class: 'short',
      phone: 'none',
      cell: ({ id }) => <span class="id fine">{shortId(id)}</span>,
    },
  ];
}

function Nothing({ session, isFiltered }: { readonly session: Session; readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="Nothing matches">No operation has all of these. Change a filter, or clear them.</Empty>;
  const command = `curl "$WRITE_URL/projects/${session.project.name}/integrations/INTEGRATION/objects/contacts" \\
  -H "x-api-key: $KEY" -H 'content-type: application/json' \\
  -d '{"groupRef":"GROUP","type":"create","mode":"asynchronous","record":{"email":"zoe@example.com"}}'`;
  return (
    <Empty title="No operation yet" command={command}>
      Each write becomes one. This sends the first:
    </Empty>
  );
}
