import { pluralize, type InstallationHealth, type WaitingRecords } from '@sluice/types';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Badge } from '../parts/badge';
import { Empty } from '../parts/empty';
import { Field, issuesOf } from '../parts/field';
import { Moment } from '../parts/moment';
import { Pager } from '../parts/pager';
import { Problem } from '../parts/problem';
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
      <div class="title">
        <h1>Customers</h1>
        {isOffered(session, 'frontend') ? (
          <div class="actions">
            <a class="button" href={hrefOf('customers/new')}>
              Connect a customer
            </a>
          </div>
        ) : null}
      </div>
      <p class="lead">Each row is an integration that a customer has installed.</p>
      <CustomerFilters query={query} issues={isBesideField ? issues : []} />
      {list.error === undefined || isBesideField ? null : (
        <Problem error={list.error} title="The customers could not be read" />
      )}
      {list.value === undefined ? null : results.length === 0 ? (
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
  readonly issues: Parameters<typeof Field>[0]['issues'];
}

function CustomerFilters({ query, issues }: FilterOptions) {
  const [prefix, isBad] = [query.get('groupRefPrefix') ?? '', query.get('badCredentials') === 'true'];
  const shown = useRef<HTMLFormElement>(null);
  // Set when the list becomes another one, not with each render: what is being typed stays, and so does the focus.
  useLayoutEffect(() => {
    const [group, box] = fieldsOf(shown.current);
    if (group !== undefined && group !== document.activeElement) group.value = prefix;
    if (box !== undefined) box.checked = isBad;
  }, [prefix, isBad]);
  const apply = (form: HTMLFormElement): void => {
    const [group, box] = fieldsOf(form);
    const badCredentials = box?.checked === true ? 'true' : '';
    goTo(hrefOf('customers', { groupRefPrefix: group?.value.trim(), badCredentials }));
  };
  const onChange = (event: { readonly currentTarget: HTMLFormElement }): void => apply(event.currentTarget);
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    apply(event.currentTarget as HTMLFormElement);
  };
  return (
    <form class="filters" role="search" ref={shown} onChange={onChange} onSubmit={onSubmit} noValidate>
      <Field name="groupRefPrefix" title="Group begins with" issues={issues} placeholder="groupRef" />
      <label class="check">
        <input name="badCredentials" type="checkbox" />
        Refused credentials
      </label>
      {query.size === 0 ? null : <a href={hrefOf('customers')}>Clear</a>}
    </form>
  );
}

/** The beginning of the group, and whether only refused credentials are shown. */
const fieldsOf = (form: HTMLFormElement | null): HTMLInputElement[] => [...(form?.querySelectorAll('input') ?? [])];

const columns: readonly Column<InstallationHealth>[] = [
  { title: 'Health', cell: ({ healthStatus }) => <Badge of={healthStatus} /> },
  {
    title: 'Customer',
    cell: ({ id, groupRef, groupName }) => (
      <>
        <a class="whole-row" href={hrefOf(`customers/${id}`)} title={`Installation ${id}`}>
          {groupRef}
        </a>
        {groupName === undefined || groupName === groupRef ? null : <div class="fine">{groupName}</div>}
      </>
    ),
  },
  {
    title: 'Integration',
    cell: ({ integrationName, provider, connection }) => (
      <>
        {integrationName} <div class="fine">{[provider, connection.workspaceRef].filter(Boolean).join(' ')}</div>
      </>
    ),
  },
  {
    title: 'Connection',
    cell: ({ connection }) => (
      <>
        <Badge of={connection.status} />
        <Since of={connection.since} />
      </>
    ),
  },
  { title: 'Waiting', cell: (installation) => <Waiting installation={installation} /> },
  {
    title: 'Last error',
    class: 'wide',
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
  { title: 'Installed', cell: ({ createTime }) => <Moment of={createTime} /> },
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
