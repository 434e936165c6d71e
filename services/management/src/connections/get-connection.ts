import { NotFoundError } from '@sluice/errors';
import { seesGroup, type Caller, type Connection } from '@sluice/types';
import type { ManagementContext } from '../context';

const remedy = "Make the group's connection first, with POST connections:generate.";

/**
 * A connection that a body names.
 * @param by who names it, and in which member of the body
 * @throws NotFoundError `connection.not-found`, the same for another project's connection and a token's other group
 */
export async function getConnection(
  { store }: ManagementContext,
  projectId: string,
  connectionId: string,
  { caller, name }: { readonly caller: Caller; readonly name: string },
): Promise<Connection> {
  const connection = await store.connections.find(projectId, connectionId);
  if (connection !== undefined && seesGroup(caller, connection.group.groupRef)) return connection;
  const detail = `${name}: there is no such connection in this project.`;
  throw new NotFoundError({ code: 'connection.not-found', detail, remedy });
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

/**
 * The connection of a path.
 * @throws NotFoundError `connection.not-found`, the same for another project's connection and a token's other group
 */
export async function getConnectionOfPath(
  { store }: ManagementContext,
  projectId: string,
  connectionId: string,
  caller: Caller,
): Promise<Connection> {
  const connection = await store.connections.find(projectId, connectionId);
  if (connection !== undefined && seesGroup(caller, connection.group.groupRef)) return connection;
  throw connectionNotFound();
}

export function connectionNotFound(): NotFoundError {
  const detail = 'connectionId: there is no such connection in this project.';
  return new NotFoundError({ code: 'connection.not-found', detail });
}
