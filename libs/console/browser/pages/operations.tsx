import type { Operation } from '@sluice/types';
import { Attention } from '../parts/attention';
import { OperationBadge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { issuesOf } from '../parts/field';
import { fieldNames, Filters } from '../parts/filters';
import { Moment } from '../parts/moment';
import { PageHead } from '../parts/page-head';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, type Session } from '../session';
import { useLoad } from '../use-load';

const pageSize = 50;
const everyMs = 3_000;

/** Operations of the project, newest first, a page at a time as the server cuts it. */
export function OperationsPage({ session, query }: { readonly session: Session; readonly query: URLSearchParams }) {
  const api = apiOf(session.apiKey, session.project.id);
  const { hasFailures, ...asked } = Object.fromEntries(query);
  const isRecordSearch = query.has('recordRef') || query.has('recordId');
  const list = useLoad(
    query.toString(),
    (signal) =>
      api.listOperationsForProject(
        { ...(asked as object), ...(hasFailures === 'true' ? { hasFailures: true } : {}), pageSize },
        { signal },
      ),
    // A search for a record reads much, and what it finds is there.
    isRecordSearch ? {} : { everyMs },
  );
  const integrations = useLoad('integrations', (signal) => api.listIntegrations({}, { signal }));
  const names = new Map(integrations.value?.map(({ id, name }) => [id, name]));
  const { pageToken: _first, ...filters } = Object.fromEntries(query);
  const { results = [], pagination } = list.value ?? {};
  const next = pagination?.nextPageToken;
  const issues = issuesOf(list.error);
  const isBesideFields = issues.length > 0 && issues.every(({ name }) => fieldNames.has(name));
  return (
    <>
      <PageHead title="Operations" />
      <Attention session={session} />
      <Filters query={new URLSearchParams(filters)} issues={issues} />
      <Chosen query={query} />
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
            <Table columns={columnsOf(names)} rows={results} keyOf={({ id }) => id} isClickable />
          )}
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

/** The filters that came with a link, in words. */
function Chosen({ query }: { readonly query: URLSearchParams }) {
  const [groupRef, installationId] = [query.get('groupRef'), query.get('installationId')];
  if (groupRef === null && installationId === null) return null;
  return (
    <p class="fine facts">
      {groupRef === null ? null : (
        <>
          Customer <b>{groupRef}</b>{' '}
        </>
      )}
      {installationId === null ? (
        <>· to find a record by its reference or its id, choose one of the installations of this customer.</>
      ) : (
        <>
          installation <code title={installationId}>{shortId(installationId)}</code>
        </>
      )}
    </p>
  );
}

/** @param names of integrations, by id */
function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Operation>[] {
  return [
    { title: 'Status', width: 'middle', phone: 'badge', cell: (operation) => <OperationBadge operation={operation} /> },
    {
      title: 'Customer',
      width: 'wide',
      phone: 'name',
      cell: ({ groupRef, installationId }) => (
        <a href={hrefOf('operations', { groupRef, installationId })} title={`Installation ${installationId}`}>
          {groupRef ?? shortId(installationId)}
        </a>
      ),
    },
    { title: 'Object', width: 'middle', phone: 'none', cell: ({ resource }) => resource },
    {
      title: 'Integration',
      width: 'middle',
      phone: 'none',
      cell: ({ integrationId }) => names.get(integrationId) ?? shortId(integrationId),
    },
    { title: 'Result', class: 'clip', cell: ({ result }) => result },
    { title: 'Accepted', width: 'middle', phone: 'aside', cell: ({ createTime }) => <Moment of={createTime} /> },
    {
      title: 'Operation',
      width: 'middle',
      cell: ({ id }) => (
        <a class="id whole-row" href={hrefOf(`operations/${id}`)} title={id}>
          {shortId(id)}
        </a>
      ),
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
