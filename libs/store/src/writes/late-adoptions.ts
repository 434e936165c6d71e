import type { Knex } from 'knex';
import { column, rowSource, type Column } from '../row-source';
import type { RecordSettlement, Settlement } from './settlement';

/** Pause before a record that came too late is looked for again. */
const lookAgainMs = 1_000;

interface Adoption {
  readonly projectId: string;
  readonly laneId: string;
  readonly objectName: string;
  readonly providerId: string;
}

const adoptionColumns: Column<Adoption>[] = [
  column('project_id', 'text', (a) => a.projectId),
  column('lane_id', 'text', (a) => a.laneId),
  column('object_name', 'text', (a) => a.objectName),
  column('provider_id', 'text', (a) => a.providerId),
];

/** Keeps two reconciliations from adopting one provider record at the same time. Taken together with the order keys. */
export function adoptionKeysOf(settlements: readonly Settlement[]): string[] {
  return settlements.flatMap(adoptionsOf).map(keyOf);
}

/**
 * A provider record belongs to one create. An adoption of one that another create has claimed meanwhile, or that an earlier
 * settlement of this transaction adopts, is undone: its record goes back into doubt and looks again.
 * The caller holds the keys of `adoptionKeysOf`.
 */
export async function undoLateAdoptions(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const adoptions = settlements.flatMap(adoptionsOf);
  if (adoptions.length === 0) return settlements;
  const taken = await findTaken(transaction, adoptions);
  return settlements.map((settlement) => {
    const isLate = settlement.records.map(
      (record) => isAdoption(record) && !take(taken, settlement, record.providerId),
    );
    return isLate.includes(true) ? backIntoDoubt(settlement, isLate) : settlement;
  });
}

function take(taken: Set<string>, settlement: Settlement, providerId: string): boolean {
  const key = keyOf({ ...settlement, providerId });
  if (taken.has(key)) return false;
  taken.add(key);
  return true;
}

async function findTaken(transaction: Knex.Transaction, adoptions: readonly Adoption[]): Promise<Set<string>> {
  const input = rowSource('i', adoptionColumns, adoptions);
  type Row = { project_id: string; lane_id: string; object_name: string; claimed_provider_id: string };
  const result = await transaction.raw<{ rows: Row[] }>(
    `select r.project_id, r.lane_id, r.object_name, r.claimed_provider_id from ${input.sql}
     join records r on r.project_id = i.project_id and r.lane_id = i.lane_id and r.object_name = i.object_name
       and r.claimed_provider_id = i.provider_id`,
    input.bindings as Knex.Value[],
  );
  return new Set(
    result.rows.map((row) =>
      keyOf({
        projectId: row.project_id,
        laneId: row.lane_id,
        objectName: row.object_name,
        providerId: row.claimed_provider_id,
      }),
    ),
  );
}

function backIntoDoubt(settlement: Settlement, isLate: readonly boolean[]): Settlement {
  return {
    ...settlement,
    records: settlement.records.map((record, at): RecordSettlement =>
      isLate[at] === true ? { index: record.index, kind: 'again', sendState: 'maybe' } : record,
    ),
    next: { state: 'in_doubt', delayMs: lookAgainMs },
  };
}

type Adopted = Extract<RecordSettlement, { kind: 'succeeded' }> & { readonly providerId: string };

function isAdoption(record: RecordSettlement): record is Adopted {
  return record.kind === 'succeeded' && record.isAdopted === true && record.providerId !== undefined;
}

function adoptionsOf(settlement: Settlement): Adoption[] {
  const { projectId, laneId, objectName } = settlement;
  return settlement.records.filter(isAdoption).map(({ providerId }) => ({ projectId, laneId, objectName, providerId }));
}

function keyOf({ projectId, laneId, objectName, providerId }: Adoption): string {
  return JSON.stringify(['adopt', projectId, laneId, objectName, providerId]);
}
