import { nearProviders, type Connector } from '@sluice/connectors';
import { NotFoundError } from '@sluice/errors';
import { seesGroup, type Caller, type Connection, type ProviderApp } from '@sluice/types';
import type { ManagementContext } from '../context';
import { contradiction, notFound } from '../refusals';

const remedy = "Make the group's connection first, with POST connections:generate.";

/**
 * A connection that a path names, or with `name` that member of a query or body.
 * @throws NotFoundError `connection.not-found`, the same for another project's connection and a token's other group
 */
export async function getConnection(
  { store }: ManagementContext,
  projectId: string,
  connectionId: string,
  { caller, name }: { readonly caller: Caller; readonly name?: string },
): Promise<Connection> {
  const connection = await store.connections.find(projectId, connectionId);
  if (connection !== undefined && seesGroup(caller, connection.group.groupRef)) return connection;
  throw notFound('connection.not-found', name, name === undefined ? undefined : remedy);
}

/**
 * The group's default connection, which is its newest to this provider.
 * @throws NotFoundError `connection.not-found`
 */
export async function getDefaultConnection(
  { store }: ManagementContext,
  projectId: string,
  of: { readonly groupRef: string; readonly provider: string },
): Promise<Connection> {
  const connection = await store.connections.findNewest(projectId, of);
  if (connection !== undefined) return connection;
  const detail = `groupRef: there is no group of this name with a connection to ${of.provider}.`;
  throw new NotFoundError({ code: 'connection.not-found', detail, remedy });
}

/** The connection as this caller may see it: with as much of its app as a list of the apps would show. */
export function presentConnection(caller: Caller, connection: Connection): Connection {
  const { providerApp: app } = connection;
  return app === undefined ? connection : { ...connection, providerApp: presentProviderApp(caller, app) };
}

/** Where an administrator installs the app's package, before its users allow it in. Source: @amp-labs/react 2.16.1. */
const installPage = 'packageInstallURL';

/**
 * The app as this caller may see it. Keys of a backend see all of it. A browser (a `frontend` key, a bearer token) sees what the address of the
 * authorization shows to it anyway, and where the package is installed.
 */
export function presentProviderApp({ scopes }: Caller, app: ProviderApp): ProviderApp {
  if (scopes.includes('full') || scopes.includes('read')) return app;
  const { id, projectId, provider, clientId, createTime } = app;
  const { [installPage]: page } = app.metadata?.providerParams ?? {};
  const metadata = page === undefined ? undefined : { providerParams: { [installPage]: page } };
  return { id, projectId, provider, clientId, createTime, metadata };
}

/**
 * The connector of a provider that a body names.
 * @param name member of the body
 * @throws ValidationError `provider.unknown`, 422, naming the known ones
 */
export function getConnector({ connectors }: ManagementContext, provider: string, name: string): Connector {
  try {
    return connectors.get(provider);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw contradiction({ code: 'provider.unknown', name, detail: `is refused: ${error.detail}`, value: provider });
  }
}

/**
 * The connector of a provider that a path names.
 * @throws NotFoundError `provider.not-in-catalogue`
 */
export function getProvider({ connectors }: ManagementContext, name: string): Connector {
  const connector = connectors.find(name);
  if (connector !== undefined) return connector;
  const detail = `provider: there is no provider "${name.slice(0, 100)}"; ${nearProviders(connectors.names(), name)}.`;
  throw new NotFoundError({ code: 'provider.not-in-catalogue', detail });
}
