import type { Knex } from 'knex';
import { isInCall, operationKeyColumns } from './write-rows';
import { rowSource } from '../row-source';
import type { RecordError, RecordSettlement, Settlement } from './settlement';

/** The error of the records of a deleted installation. */
export const uninstalledError: RecordError = { class: 'cancelled', text: 'The installation was deleted.' };

/**
 * Nothing of a deleted installation is sent again: what a settlement would try again ends with it. Only a settlement that
 * tries again pays for this lookup, which comes before every other lock: a deletion locks the installation first, too.
 */
export async function endUninstalled(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const trying = settlements.filter(triesAgain);
  if (trying.length === 0) return settlements;
  const installed = await holdInstallations(transaction, trying);
  const decided: Settlement[] = [];
  for (const settlement of settlements) {
    const isGone = triesAgain(settlement) && !installed.has(settlement.operationId);
    decided.push(isGone ? ended(settlement, await readUnfinished(transaction, settlement)) : settlement);
  }
  return decided;
}

function triesAgain({ next }: Settlement): boolean {
  return next.state === 'ready' || next.state === 'split';
}

/** Ids of the operations whose installation exists, and cannot be deleted until this transaction ends. */
async function holdInstallations(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  const input = rowSource('i', operationKeyColumns, settlements);
  const result = await transaction.raw<{ rows: { id: string }[] }>(
    `select o.id from operations o join installations n on n.project_id = o.project_id and n.id = o.installation_id
     where (o.project_id, o.id) in (select project_id, operation_id from ${input.sql})
     order by n.project_id, n.id for key share of n`,
    input.bindings as Knex.Value[],
  );
  return new Set(result.rows.map((row) => row.id));
}

/** Also of what the settlement does not name: one that divides a call names no record. */
function ended(settlement: Settlement, unfinished: readonly UnfinishedRow[]): Settlement {
  const named = new Set(settlement.records.map(({ index }) => index));
  const others = unfinished
    .filter(({ record_index: index }) => !named.has(index))
    .map(
      ({ record_index: index, send_state: state }) =>
        ({ index, sendState: state === 'none' ? state : 'maybe' }) as const,
    );
  return {
    ...settlement,
    records: [
      ...settlement.records.map((record) => (record.kind === 'again' ? endOf(record) : record)),
      ...others.map(endOf),
    ],
    next: { state: 'done' },
    orderKeys: [...new Set([...settlement.orderKeys, ...unfinished.flatMap((row) => row.order_key ?? [])])],
  };
}

function endOf({
  index,
  sendState,
  error,
}: Omit<Extract<RecordSettlement, { kind: 'again' }>, 'kind'>): RecordSettlement {
  const last = error === undefined ? '' : ` Last: ${error.text}`;
  const text = `${uninstalledError.text}${last}`;
  if (sendState === 'none') return { index, kind: 'failed', error: { ...uninstalledError, text } };
  return { index, kind: 'unknown', error: { ...uninstalledError, text: `Outcome unknown: ${text}` } };
}

interface UnfinishedRow {
  readonly record_index: number;
  readonly send_state: string;
  readonly order_key: string | null;
}

/** All records of a call. */
async function readUnfinished(transaction: Knex.Transaction, call: Settlement): Promise<UnfinishedRow[]> {
  const { rows } = await transaction.raw<{ rows: UnfinishedRow[] }>(
    `select r.record_index, r.send_state, r.order_key from calls c
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     where c.project_id = ? and c.operation_id = ? and c.number = ?`,
    [call.projectId, call.operationId, call.number],
  );
  return rows;
}
