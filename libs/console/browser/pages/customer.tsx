import type { GroupHealth, Installation, InstallationHealth, Operation } from '@sluice/types';
import type { ComponentChildren } from 'preact';
import { authorName } from '../parts/author';
import { Badge, OperationBadge } from '../parts/badge';
import { ConfigHistory } from '../parts/config-history';
import { recordsOf, UnusedLine } from '../parts/customer-list';
import { CustomerName } from '../parts/customer-name';
import { FirstExpire } from '../parts/first-expire';
import { Moment } from '../parts/moment';
import { OperationResult } from '../parts/operation-result';
import { PageHead } from '../parts/page-head';
import { Problem } from '../parts/problem';
import { Reconnect } from '../parts/reconnect';
import { Skeleton } from '../parts/skeleton';
import { Table, type Column } from '../parts/table';
import { fromNow, shortId, withoutJson } from '../format';
import { hrefOf, lastHrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';

const everyMs = 5_000;

interface CustomerOptions {
  readonly session: Session;
  readonly installationId: string;
  readonly query: URLSearchParams;
}

interface Customer {
  readonly health: InstallationHealth;
  readonly installation: Installation;
  /** The newest ten. */
  readonly operations: readonly Operation[];
  readonly group: GroupHealth | undefined;
}

/** One customer's installation: its connection and what ends a refusal, and its config with what it was before. */
export function CustomerPage({ session, installationId, query }: CustomerOptions) {
  const api = apiOf(session.apiKey, session.project.id);
  const { value, error, reload } = useLoad(installationId, (signal) => readCustomer(api, installationId, signal), {
    everyMs,
  });
  if (value === undefined)
    return error === undefined ? (
      <Skeleton of="card" />
    ) : (
      <Problem error={error} title="The customer could not be read" />
    );
  const { health, installation, operations, group } = value;
  const { groupRef, groupName, integrationName } = health;
  const reconnect = (
    <Reconnect
      key={health.connection.id}
      session={session}
      health={health}
      installation={installation}
      onDone={reload}
    />
  );
  const others = (group?.installations ?? []).filter(({ id }) => id !== installationId);
  return (
    <>
      <PageHead
        back={{ href: lastHrefOf('customers'), text: 'Customers' }}
        title={<CustomerName groupRef={groupRef} groupName={groupName} />}
        status={<Badge of={health.healthStatus} />}
        lead={
          <>
            {integrationName}
            {others.length === 0 ? null : ' · also '}
            {others.map(({ id, integrationName: other, healthStatus }) => (
              <a key={id} class="other" href={hrefOf(`customers/${id}`)}>
                {other} {healthStatus === 'unhealthy' ? '(unhealthy)' : ''}
              </a>
            ))}
          </>
        }
      />
      {error === undefined ? null : <Problem error={error} title="The customer could not be read again" />}
      <Reason health={health}>
        {isOffered(session, 'frontend') && health.connection.status === 'bad_credentials' ? reconnect : null}
      </Reason>
      <Figures health={health} />
      <ConnectionPanel health={health} installation={installation}>
        {isOffered(session, 'frontend') && health.connection.status !== 'bad_credentials' ? reconnect : null}
      </ConnectionPanel>
      <Unused session={session} group={group} onChange={reload} />
      <LatestOperations health={health} operations={operations} />
      <ConfigHistory session={session} installation={installation} query={query} onChange={reload} />
    </>
  );
}

/** @throws an error in the form of the client's, for an installation that is not there */
async function readCustomer(api: Api, installationId: string, signal: AbortSignal): Promise<Customer> {
  const { results } = await api.listInstallationHealth({ installationId }, { signal });
  const [health] = results;
  if (health === undefined) throw new GoneError();
  const { integrationId, groupRef } = health;
  const [installation, { results: operations }, groups] = await Promise.all([
    api.getInstallation({ integrationId, installationId }, { signal }),
    api.listOperationsForProject({ installationId, pageSize: 10 }, { signal }),
    api.listGroupHealth({ groupRef }, { signal }),
  ]);
  return { health, installation, operations, group: groups.results[0] };
}

class GoneError extends Error {
  readonly detail = 'There is no such installation in this project. It may have been deleted.';
  readonly remedy = 'Choose one of the customers. What a deleted one wrote is among the operations.';
}

interface ReasonOptions extends Pick<Customer, 'health'> {
  /** What ends a refusal. */
  readonly children: ComponentChildren;
}

/** Why it is unhealthy, and what ends that. */
function Reason({ health, children }: ReasonOptions) {
  const { provider, connection, waiting, lastError, healthStatus } = health;
  if (connection.status === 'bad_credentials')
    return (
      <section class="attention" aria-label="Why it is unhealthy">
        <p>
          <strong>
            {provider} has refused the credentials for {fromNow(connection.since).replace(' ago', '')}.
          </strong>{' '}
          What waits ({recordsOf(waiting)}) is sent when the connection has new ones
          {waiting.records === 0 ? null : (
            <>
              : <FirstExpire at={waiting.firstExpireTime} />
            </>
          )}
          .
        </p>
        {children}
      </section>
    );
  if (healthStatus !== 'unhealthy') return null;
  return (
    <section class="attention" aria-label="Why it is unhealthy">
      <p>
        <strong>The last five operations failed.</strong>{' '}
        {lastError === undefined ? null : (
          <>
            The newest: {withoutJson(lastError.message)}{' '}
            <a href={hrefOf(`operations/${lastError.operationId}`)}>See what to do</a>
          </>
        )}
      </p>
    </section>
  );
}

/** Of the last 24 hours. */
function Figures({ health: { lastDay, waiting } }: { readonly health: InstallationHealth }) {
  const { succeeded = 0, failed = 0, isAtLeast } = lastDay ?? {};
  const more = isAtLeast === true ? '+' : '';
  const rate = succeeded + failed === 0 ? '–' : `${((100 * succeeded) / (succeeded + failed)).toFixed(1)} %`;
  const figures = [
    ['Written, last day', `${succeeded.toLocaleString('en')}${more}`],
    ['Failed, last day', `${failed.toLocaleString('en')}${more}`],
    ['Success rate', rate],
    ['Waiting now', `${waiting.records.toLocaleString('en')}${waiting.isAtLeast === true ? '+' : ''}`],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const operationColumns: readonly Column<Operation>[] = [
  {
    title: 'Operation',
    width: 'wide',
    phone: 'name',
    cell: ({ id, resource }) => (
      <a class="whole-row" href={hrefOf(`operations/${id}`)} title={id}>
        {resource} <span class="fine">{shortId(id)}</span>
      </a>
    ),
  },
  { title: 'Status', width: 'middle', phone: 'badge', cell: (operation) => <OperationBadge operation={operation} /> },
  { title: 'Result', phone: 'line', cell: (operation) => <OperationResult operation={operation} /> },
  { title: 'Accepted', width: 'middle', phone: 'aside', cell: ({ createTime }) => <Moment of={createTime} /> },
];

/** Those of which a record was not written stand first; a sort keeps the order of the others. */
const byFailures = (one: Operation, other: Operation): number => Number(hasFailed(other)) - Number(hasFailed(one));
const hasFailed = ({ status, metadata }: Operation): boolean =>
  status === 'failure' || (metadata?.records?.failed ?? 0) > 0;

function LatestOperations({ health, operations }: Pick<Customer, 'health' | 'operations'>) {
  const { id: installationId, groupRef } = health;
  return (
    <section class="panel">
      <div class="title">
        <h2>Latest operations, failed ones first</h2>
        <div class="actions">
          <a href={hrefOf('operations', { groupRef, installationId, hasFailures: 'true' })}>With failures</a>
          <a href={hrefOf('operations', { groupRef, installationId })}>All operations</a>
        </div>
      </div>
      {operations.length === 0 ? (
        <p class="fine">It has written nothing yet.</p>
      ) : (
        <Table columns={operationColumns} rows={operations.toSorted(byFailures)} keyOf={({ id }) => id} isClickable />
      )}
    </section>
  );
}

interface UnusedOptions {
  readonly session: Session;
  readonly group: GroupHealth | undefined;
  readonly onChange: () => void;
}

/** What the customer connected and no installation uses. */
function Unused({ session, group, onChange }: UnusedOptions) {
  const unused = group?.unusedConnections ?? [];
  const integrations = useLoad(unused.length === 0 ? 'none' : 'integrations', async (signal) =>
    unused.length === 0 ? [] : await apiOf(session.apiKey, session.project.id).listIntegrations({}, { signal }),
  );
  if (group === undefined || unused.length === 0) return null;
  return (
    <section class="panel">
      <h2>Connections that nothing uses</h2>
      {unused.map((connection) => (
        <UnusedLine
          key={connection.id}
          session={session}
          group={group}
          connection={connection}
          integrations={integrations.value ?? []}
          onChange={onChange}
        />
      ))}
    </section>
  );
}

interface ConnectionOptions extends Pick<Customer, 'health' | 'installation'> {
  readonly children: ComponentChildren;
}

function ConnectionPanel({ health, installation, children }: ConnectionOptions) {
  const { provider, connection, lastError } = health;
  return (
    <section class="panel">
      <h2>Connection</h2>
      <dl class="pairs">
        <dt>Status</dt>
        <dd>
          {/* One that was just made works as well as one that was used: the provider took its credentials. */}
          <Badge of={connection.status === 'created' ? 'working' : connection.status} />{' '}
          <Moment of={connection.since} />
        </dd>
        <dt>Account</dt>
        <dd>
          {provider} {connection.workspaceRef ?? <span class="fine">not named by the provider</span>}
        </dd>
        <dt>Connected by</dt>
        <dd>
          {connection.consumerRef}, {connection.authScheme}{' '}
          <code class="fine" title={connection.id}>
            {shortId(connection.id)}
          </code>
        </dd>
        <dt>Installed</dt>
        <dd>
          <Moment of={installation.createTime} /> by {authorName(installation.createdBy)}{' '}
          <code class="fine" title={installation.id}>
            {shortId(installation.id)}
          </code>
        </dd>
        <dt>Last error</dt>
        <dd class="answer">
          {lastError === undefined ? (
            <span class="fine">none among the latest operations</span>
          ) : (
            <>
              <a href={hrefOf(`operations/${lastError.operationId}`)}>
                <Moment of={lastError.time} />
              </a>{' '}
              {lastError.class === undefined ? null : <span class="class">{lastError.class}</span>}{' '}
              {withoutJson(lastError.message)}
            </>
          )}
        </dd>
      </dl>
      {children}
    </section>
  );
}
