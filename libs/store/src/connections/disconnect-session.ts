import type { Knex } from 'knex';
import type { StoredRow } from '../table';
import { keyOf, type ConnectSessionKey } from './connect-session-store';
import { deleteConnection } from './connection-store';

/**
 * Takes the connection of a session back, because its group uses another one: what the session made, and nothing uses, is deleted.
 * @param failure what the page says of it
 */
export async function disconnectSession(database: Knex, key: ConnectSessionKey, failure: string): Promise<void> {
  const { projectId } = key;
  await database.transaction(async (transaction) => {
    const own = transaction('connect_sessions').where(keyOf(key));
    const session = await own.clone().first<StoredRow | undefined>('connection_id');
    const connectionId = session?.['connection_id'];
    if (typeof connectionId !== 'string') return await own.update({ failure });
    // The connection before the session, as where it gets new credentials. An installation that is made with it holds its row.
    await transaction('connections').where({ project_id: projectId, id: connectionId }).forUpdate().select('id');
    const [taken] = await own
      .clone()
      .where({ connection_id: connectionId, installation_id: null })
      .forUpdate()
      .select<StoredRow[]>('has_made_connection');
    if (taken === undefined) return undefined;
    await own.update({ failure, connection_id: null, has_made_connection: false });
    if (taken['has_made_connection'] === true)
      await deleteConnection(transaction, { projectId, connectionId }, unusedSql);
  });
}

const unusedSql = `not exists (select 1 from installations i where i.project_id = k.project_id and i.connection_id = k.id)
  and not exists (select 1 from connect_sessions s where s.project_id = k.project_id and s.connection_id = k.id)`;
