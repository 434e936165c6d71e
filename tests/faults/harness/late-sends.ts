import type { ClientLedger } from './client-ledger';
import { readCarried } from './provider-effects';
import { query } from './query';
import type { World } from './world';

/**
 * Provider calls of single creates beyond the intents that were committed for them: a process that sends after its lease was
 * taken has no intent of its own. Every account of the load keeps its token, so no call is repeated for a 401.
 */
export async function countUnintendedSends(world: World, { records, sinceSeq }: ClientLedger): Promise<number> {
  const singles = records.filter(({ way, operationId }) => way === 'single' && operationId !== undefined);
  const customers = [...new Set(singles.map(({ customer }) => customer))];
  const sends = await readCarried(world, customers, sinceSeq);
  const intents = await countIntents(
    world,
    singles.map(({ operationId }) => operationId as string),
  );
  const surplus = singles.map(
    ({ marker, operationId = '' }) => (sends.get(marker) ?? 0) - (intents.get(operationId) ?? 0),
  );
  return surplus.reduce((sum, count) => sum + Math.max(0, count), 0);
}

async function countIntents(world: World, operationIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; count: number }>(
    world,
    'select operation_id as id, count(*)::integer as count from sent_attempts where operation_id = any(?) group by operation_id',
    [operationIds],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}
