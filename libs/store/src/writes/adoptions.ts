import type { Knex } from 'knex';
import { isInCall } from './call-key';
import { markSentSql } from './record-intents';
import { column, rowSource, type Column } from '../row-source';
import type { RecordSettlement, Settlement } from './settlement';

/** Pause before a record whose adoption was undone is looked up again. */
const nextLookupMs = 1_000;

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
 * settlement of this transaction adopts, is undone: its record goes back into doubt and is looked up again.
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
    next: { state: 'in_doubt', delayMs: nextLookupMs },
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

/** A create whose reply named a provider record that another create has claimed. */
export interface Contested {
  readonly project_id: string;
  readonly operation_id: string;
  readonly record_index: number;
  readonly provider_id: string;
}

const contestedColumns: Column<Contested>[] = [
  column('project_id', 'text', (row) => row.project_id),
  column('operation_id', 'text', (row) => row.operation_id),
  column('record_index', 'integer', (row) => row.record_index),
  column('provider_id', 'text', (row) => row.provider_id),
];

/**
 * A provider record belongs to the create whose reply named it. Another create that had only adopted it goes back into doubt, in the
 * same transaction, also when its operation has ended: it did not succeed after all. A create that a reply named as well keeps the
 * record, and a create whose plan is past the retention time stays as it is. The fence grows, so that nothing under way can settle the
 * call. Locks the adopters' rows after the settlement's own; a deadlock that results is repeated (`guard`).
 * @returns ids of the operations that are open again
 */
export async function reopenAdopters(
  transaction: Knex.Transaction,
  contested: readonly Contested[],
): Promise<Set<string>> {
  if (contested.length === 0) return new Set();
  const input = rowSource('i', contestedColumns, contested);
  const result = await transaction.raw<{ rows: { id: string }[] }>(
    `with adopters as (
       select a.project_id, a.operation_id, a.record_index from ${input.sql}
       join records o on o.project_id = i.project_id and o.operation_id = i.operation_id and o.record_index = i.record_index
       join records a on a.project_id = o.project_id and a.lane_id = o.lane_id and a.object_name = o.object_name
         and a.claimed_provider_id = i.provider_id
       where a.outcome = 'succeeded' and a.send_state = 'maybe' and a.plan is not null
       order by 1, 2, 3 for update of a),
     doubted as (update records r set outcome = 'pending', provider_id = null, claimed_provider_id = null, warnings = null,
              updated_at = now()
       from adopters a where r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = a.record_index),
     theirs as (select distinct a.project_id, a.operation_id, c.number from adopters a
       join calls c on c.project_id = a.project_id and c.operation_id = a.operation_id and ${isInCall('a', 'c')}),
     standing as (select c.project_id, c.operation_id, c.number, c.state, c.fence from theirs t
       join calls c on c.project_id = t.project_id and c.operation_id = t.operation_id and c.number = t.number
       order by 1, 2, 3 for update of c),
     marked as (${markSentSql(`(select * from standing where state = 'running')`)}),
     moved as (update calls c set state = 'in_doubt', fence = c.fence + 1, owner = null, lease_until = null,
              sent_at = coalesce(c.sent_at, now()), not_before = now() + make_interval(secs => ?::float8 / 1000)
       from standing s where c.project_id = s.project_id and c.operation_id = s.operation_id and c.number = s.number),
     tallied as (
       select k.project_id, k.operation_id,
              (select count(*)::integer from adopters a where (a.project_id, a.operation_id) = (k.project_id, k.operation_id)) as records,
              (select count(*)::integer from standing s where (s.project_id, s.operation_id) = (k.project_id, k.operation_id)
                 and s.state in ('done', 'quarantined')) as calls
       from (select distinct project_id, operation_id from adopters) k),
     reopened as (update operations o set records_succeeded = o.records_succeeded - t.records, calls_open = o.calls_open + t.calls,
            state = 'queued', result = null, failed_at = null, updated_at = now()
     from tallied t where o.project_id = t.project_id and o.id = t.operation_id
     returning o.project_id, o.id, o.cancel_requested_at),
     cancelled as (insert into cancels (project_id, operation_id)
       select project_id, id from reopened where cancel_requested_at is not null on conflict do nothing)
     select id from reopened`,
    [...input.bindings, nextLookupMs] as Knex.Value[],
  );
  await claimContested(transaction, contested);
  return new Set(result.rows.map((row) => row.id));
}

/** A statement of its own: it must see that the adopters have released it. */
async function claimContested(transaction: Knex.Transaction, contested: readonly Contested[]): Promise<void> {
  const input = rowSource('i', contestedColumns, contested);
  await transaction.raw(
    `update records r set claimed_provider_id = i.provider_id from ${input.sql}
     where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
       and not exists (select 1 from records o where o.project_id = r.project_id and o.lane_id = r.lane_id
                       and o.object_name = r.object_name and o.claimed_provider_id = i.provider_id)`,
    input.bindings as Knex.Value[],
  );
}
