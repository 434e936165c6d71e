import type { Installation, InstallationHealth } from '@sluice/types';
import { Badge } from '../parts/badge';
import { ConfigHistory } from '../parts/config-history';
import { Moment } from '../parts/moment';
import { Problem } from '../parts/problem';
import { Reconnect } from '../parts/reconnect';
import { Skeleton } from '../parts/skeleton';
import { shortId } from '../format';
import { hrefOf } from '../use-route';
import { apiOf, isOffered, type Api, type Session } from '../session';
import { useLoad } from '../use-load';
import { recordsOf } from './customers';

const everyMs = 5_000;

interface CustomerOptions {
  readonly session: Session;
  readonly installationId: string;
  readonly query: URLSearchParams;
}

interface Customer {
  readonly health: InstallationHealth;
  readonly installation: Installation;
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
  const { health, installation } = value;
  const { groupRef, integrationName } = health;
  return (
    <>
      <a class="back" href={hrefOf('customers')}>
        ← Customers
      </a>
      <div class="title">
        <h1>
          {groupRef} <span class="fine">{integrationName}</span>
        </h1>
        <span role="status">
          <Badge of={health.healthStatus} />
        </span>
        <div class="actions">
          <a href={hrefOf('operations', { groupRef, installationId })}>Operations</a>
        </div>
      </div>
      <p class="fine facts">
        installation <code>{installationId}</code> · installed <Moment of={installation.createTime} /> by{' '}
        {installation.createdBy}
      </p>
      {error === undefined ? null : <Problem error={error} title="The customer could not be read again" />}
      <ConnectionPanel session={session} health={health} installation={installation} onChange={reload} />
      <ConfigHistory session={session} installation={installation} query={query} onChange={reload} />
    </>
  );
}

/** @throws an error in the form of the client's, for an installation that is not there */
async function readCustomer(api: Api, installationId: string, signal: AbortSignal): Promise<Customer> {
  const { results } = await api.listInstallationHealth({ installationId }, { signal });
  const [health] = results;
  if (health === undefined) throw new GoneError();
  const { integrationId } = health;
  return { health, installation: await api.getInstallation({ integrationId, installationId }, { signal }) };
}

class GoneError extends Error {
  readonly detail = 'There is no such installation in this project. It may have been deleted.';
  readonly remedy = 'Choose one of the customers. What a deleted one wrote is among the operations.';
}

interface ConnectionOptions extends Customer {
  readonly session: Session;
  readonly onChange: () => void;
}

function ConnectionPanel({ session, health, installation, onChange }: ConnectionOptions) {
  const { provider, connection, waiting, lastError } = health;
  const isHeld = connection.status === 'bad_credentials';
  return (
    <section class="panel">
      <h2>Connection</h2>
      <dl class="pairs">
        <dt>Status</dt>
        <dd>
          <Badge of={connection.status} /> <Moment of={connection.since} />
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
        <dt>Waiting</dt>
        <dd>{recordsOf(waiting)}</dd>
        <dt>Last error</dt>
        <dd class="answer">
          {lastError === undefined ? (
            <span class="fine">none among the latest operations</span>
          ) : (
            <>
              <a href={hrefOf(`operations/${lastError.operationId}`)}>
                <Moment of={lastError.time} />
              </a>{' '}
              {lastError.class === undefined ? null : <span class="class">{lastError.class}</span>} {lastError.message}
            </>
          )}
        </dd>
      </dl>
      {isHeld ? (
        <p class="attention" role="note">
          {provider} refuses the credentials. What waits is sent when the connection has new ones, until its deadline.
        </p>
      ) : null}
      {isOffered(session, 'frontend') ? (
        <Reconnect
          key={connection.id}
          session={session}
          health={health}
          installation={installation}
          onDone={onChange}
        />
      ) : null}
    </section>
  );
}
