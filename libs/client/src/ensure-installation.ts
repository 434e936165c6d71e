import type { ConfigContent, Connection, GenerateConnectionRequest, Installation } from '@sluice/types';
import { SluiceConflictError } from './api-error';
import type { ManagementOperations } from './generated/management';
import type { Api } from './operation-shape';

/** What a customer shall have. */
export interface EnsureInstallationOptions {
  /** Id or name. */
  readonly integrationId: string;
  /** Your customer, as you name it. */
  readonly groupRef: string;
  /** Who connects, and with which credentials. Used only where the group has no connection to the provider. @default a connection that is there */
  readonly connection?: Omit<GenerateConnectionRequest, 'groupRef' | 'provider'>;
  /** Of a new installation; one that is there keeps its config. @default nothing is chosen */
  readonly content?: Omit<ConfigContent, 'provider'>;
  /** @default the client's */
  readonly projectIdOrName?: string;
}

/**
 * The group's installation of the integration: the one that is there, or a new one. Safe to repeat, also at once in several processes.
 * @throws SluiceApiError what the provider or Sluice refuses; a connection that was made then is used by the next call
 */
export async function ensureInstallation(
  management: Api<ManagementOperations>,
  { integrationId, groupRef, connection: credentials, content, projectIdOrName }: EnsureInstallationOptions,
): Promise<Installation> {
  const project = projectIdOrName === undefined ? {} : { projectIdOrName };
  const find = async () => (await management.listInstallations({ ...project, integrationId, groupRef }))[0];
  const installed = await find();
  if (installed !== undefined) return installed;
  const { provider } = await management.getIntegration({ ...project, integrationId });
  const connections = await management.listConnections({ ...project, groupRef, provider });
  const known = connections.findLast(({ status }) => status !== 'bad_credentials');
  const body = credentials && { ...credentials, groupRef, provider };
  const made = known === undefined && body ? await management.generateConnection({ ...project, body }) : undefined;
  const connectionId = (known ?? made)?.id;
  const config = { content: { ...content, provider } };
  const order = { groupRef, config, ...(connectionId === undefined ? {} : { connectionId }) };
  try {
    return await management.createInstallation({ ...project, integrationId, body: order });
  } catch (error) {
    const winner = hasCode(error, 'installation.exists') ? await find() : undefined;
    if (winner === undefined) throw error;
    if (made !== undefined && made.id !== winner.connection.id) await removeUnused(made);
    return winner;
  }

  /** Another process was faster, with a connection of its own. */
  async function removeUnused({ id }: Connection): Promise<void> {
    try {
      await management.deleteConnection({ ...project, connectionId: id });
    } catch (error) {
      if (!hasCode(error, 'connection.in-use')) throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof SluiceConflictError && error.code === code;
}
