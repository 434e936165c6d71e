import type { Connection } from '@sluice/types';
import type { Knex } from 'knex';
import type { ConnectionKey } from './connection-tokens';

type Metadata = NonNullable<Connection['providerMetadata']>;

/** A connection's metadata with these members besides, in place of those of their names. Holds the row, so no change is lost. */
export async function withAddedMetadata(
  transaction: Knex.Transaction,
  { projectId, connectionId }: ConnectionKey,
  added: Metadata,
): Promise<Metadata> {
  const row = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .forUpdate()
    .first<{ provider_metadata: string | null } | undefined>('provider_metadata');
  const stored = row?.provider_metadata ?? undefined;
  return { ...(stored === undefined ? {} : (JSON.parse(stored) as Metadata)), ...added };
}
