import type { Knex } from 'knex';
import { endCounted } from './end-operations';
import { endUninstalled } from './end-uninstalled';
import {
  type CallKey,
  type CallKeyRow,
  type OperationKey,
  callId,
  callKeyColumns,
  isInCall,
  operationKeyColumns,
  toCallKey,
} from './write-rows';
import { insertAdoptions, lockAdoptions, reopenAdopters, undoLateAdoptions } from './adoptions';
import { markSent } from './record-intents';
import { lockOperations, lockOrderKeys, releasedCalls } from './order-queue';
import { type Column, column, hiddenFromPlanner, planByKeys, preparedRows, rowSource } from '../row-source';
import {
  type SettledRow,
  intentSql,
  isCounted,
  isReleased,
  nextColumns,
  settlementColumns,
  settleStatement,
} from './settled-rows';
import type { EndedOperation, ReleasedCall, Settled, SettledTogether, Settlement } from './settlement';
import { splitRefused } from './split-refused';

/**
 * Settles calls in one transaction, each behind its fence.
 * Order: 0. Records of a deleted installation end instead of being tried again. 1. Order keys, then the locks of adoptions.
 * 2. Operation rows, then call rows, each in id order. 3. A settlement whose fence is gone becomes evidence of its attempt; an adoption that comes
 * too late goes back into doubt. 4. It writes outcomes, records, attempts, calls, the queues of their records and the counts of operations. Creates
 * that had adopted what one of these made go back into doubt. A call that was refused whole is split. 5. Operations whose last call this was end; so
 * do their idempotency keys. 6. Calls that waited behind these records become ready.
 */
export async function settleTogether(
  database: Knex,
  given: readonly Settlement[],
  timeScale: number,
): Promise<SettledTogether> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(planByKeys);
    const settlements = await endUninstalled(transaction, given);
    await lockOrderKeys(
      transaction,
      settlements.flatMap((settlement) => settlement.orderKeys),
    );
    await lockAdoptions(transaction, settlements);
    await lockOperations(transaction, settlements);
    const current = await lockCalls(transaction, settlements);
    const isHeld = (settlement: Settlement): boolean => current.get(callId(settlement)) === settlement.fence;
    const held = await undoLateAdoptions(transaction, settlements.filter(isHeld));
    const lost = settlements.filter((settlement) => !isHeld(settlement));
    await keepEvidence(transaction, lost);
    await markSent(transaction, held.filter(leavesSent));
    const { ended, released } = await applyTogether(transaction, held, timeScale);
    const parts = await splitRefused(transaction, held);
    await endKeys(transaction, held);
    const nextStates = new Map(held.map((settlement) => [callId(settlement), settlement.next]));
    const effects = { nextStates, ended, parts };
    const answers = new Map(given.map((settlement) => [callId(settlement), toSettled(settlement, effects)]));
    return { answers, released };
  });
}

/** Some of its attempt have no outcome. */
function leavesSent({ attempt, records }: Settlement): boolean {
  return attempt !== undefined && records.some(({ kind }) => kind === 'again');
}

interface Effects {
  readonly nextStates: ReadonlyMap<string, Settlement['next']>;
  readonly ended: ReadonlyMap<string, EndedOperation>;
  readonly parts: ReadonlyMap<string, readonly CallKey[]>;
}

function toSettled(settlement: Settlement, { nextStates, ended, parts }: Effects): Settled {
  const next = nextStates.get(callId(settlement));
  if (next === undefined) return { isHeld: false };
  const operation = ended.get(settlement.operationId);
  const opened = parts.get(callId(settlement));
  return {
    isHeld: true,
    ...(operation === undefined ? {} : { ended: operation }),
    ...(next === settlement.next ? {} : { next }),
    ...(opened === undefined ? {} : { parts: opened }),
  };
}

async function lockCalls(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<Map<string, number>> {
  const input = preparedRows('i', callKeyColumns, settlements);
  type Row = CallKeyRow & { fence: string };
  const locking = transaction.raw<{ rows: Row[] }>(
    `select c.project_id, c.operation_id, c.number, c.fence from calls c
     where (c.project_id, c.operation_id, c.number) in (select project_id, operation_id, number from ${input.sql})
       and c.state = ${hiddenFromPlanner('running')}
     order by c.project_id, c.operation_id, c.number for update`,
    input.bindings as Knex.Value[],
  );
  const { rows } = await locking.options({ name: 'lock-calls' });
  return new Map(rows.map((row) => [callId(toCallKey(row)), Number(row.fence)]));
}

/** One round trip for all updates, and one for the operations that end. */
async function applyTogether(
  transaction: Knex.Transaction,
  held: readonly Settlement[],
  timeScale: number,
): Promise<{ ended: Map<string, EndedOperation>; released: ReleasedCall[] }> {
  if (held.length === 0) return { ended: new Map(), released: [] };
  const given = preparedRows('i', [...settlementColumns, ...nextColumns], held);
  const { sql, bindings } = settleStatement(held, {
    sql: `select i.*, ${intentSql} from ${given.sql}
      join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number`,
    bindings: given.bindings,
    timeScale,
    isWhole: false,
    isOrdered: true,
    isNotified: false,
  });
  const { rows } = await transaction
    .raw<{ rows: SettledRow[] }>(sql, bindings as Knex.Value[])
    .options({ name: 'settle-calls' });
  await insertAdoptions(transaction, held);
  const reopened = await reopenAdopters(transaction, held);
  await quarantine(
    transaction,
    held.filter((settlement) => settlement.next.state === 'quarantined'),
  );
  const over = rows.filter(isCounted).filter((row) => row.calls_open === 0 && !reopened.has(row.operation_id));
  return { ended: await endCounted(transaction, over), released: rows.filter(isReleased).map(releasedCalls.read) };
}

async function quarantine(transaction: Knex.Transaction, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return;
  await transaction('quarantine')
    .insert(
      settlements.map(({ projectId, operationId, number }) => ({
        project_id: projectId,
        operation_id: operationId,
        call_number: number,
        reason: 'The call crashed an executor four times, the last two while it ran alone.',
        replay_command: `POST /v1/projects/${projectId}/operations/${operationId}:replay`,
      })),
    )
    .onConflict()
    .ignore();
}

const evidenceColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('evidence', 'text', (s) =>
    JSON.stringify(s.records, (name, value: unknown) => (name === 'problems' ? undefined : value)),
  ),
];

type WrittenRecord = OperationKey & { readonly index: number };

const writtenColumns: Column<WrittenRecord>[] = [
  ...operationKeyColumns,
  column('record_index', 'integer', (w) => w.index),
];

/**
 * A reply that lost its fence is not discarded: reconciliation reads it first. Calls may hold these records now that have not been sent again. If the
 * late reply reports that something was written, they go back into doubt at once, under a new fence, so that nobody sends them. So does a call that
 * is being looked up: the lookup began without the evidence, and may end with another send. The attempt is stored: whatever takes a call from its
 * sender inserts it.
 */
async function keepEvidence(transaction: Knex.Transaction, lost: readonly Settlement[]): Promise<void> {
  const sent = lost.filter((settlement) => settlement.attempt !== undefined);
  if (sent.length === 0) return;
  const input = rowSource('i', evidenceColumns, sent);
  await transaction.raw(
    `update attempts a set late_evidence = coalesce(a.late_evidence, i.evidence), finished_at = now() from ${input.sql}
     where a.project_id = i.project_id and a.operation_id = i.operation_id and a.call_number = i.number and a.fence = i.fence`,
    input.bindings as Knex.Value[],
  );
  const written = sent.flatMap(({ projectId, operationId, records }) =>
    records.flatMap(({ kind, index }): WrittenRecord[] =>
      kind === 'succeeded' ? [{ projectId, operationId, index }] : [],
    ),
  );
  if (written.length === 0) return;
  const records = rowSource('i', writtenColumns, written);
  await transaction.raw(
    `update calls c set state = 'in_doubt', sent_at = now(), not_before = now(), fence = c.fence + 1, owner = null,
            lease_until = null
     from ${records.sql}
     where c.project_id = i.project_id and c.operation_id = i.operation_id and ${isInCall('i', 'c')}
       and (c.state in ('ready', 'waiting') or (c.state = 'running' and c.sent_members is null))`,
    records.bindings as Knex.Value[],
  );
}

/** Stores replies and removes keys of what a settlement ends. The operation must still be the one that the key names. */
async function endKeys(transaction: Knex.Transaction, held: readonly Settlement[]): Promise<void> {
  // In the order in which keys are claimed.
  const sorted = held.toSorted((a, b) => claimOrder(a).localeCompare(claimOrder(b)));
  for (const { projectId, operationId, idempotency, next } of sorted) {
    if (idempotency === undefined || next.state !== 'done') continue;
    const { scope, key, reply } = idempotency;
    const row = transaction('idempotency_keys').where({ project_id: projectId, scope, key, operation_id: operationId });
    await (reply === undefined ? row.delete() : row.update({ reply: JSON.stringify(reply) }));
  }
}

function claimOrder({ projectId, idempotency }: Settlement): string {
  return JSON.stringify([projectId, idempotency?.scope, idempotency?.key]);
}
