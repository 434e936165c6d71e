import type { Knex } from 'knex';
import { type CallKey, callKeyColumns } from './write-rows';
import { insertUnansweredSql, markSentSql } from './record-intents';
import { type Column, column, rowSource } from '../row-source';
import { type Written, isWritten } from './settled-rows';
import type { RecordSettlement, Settlement } from './settlement';

/** Pause before a record whose adoption was undone is looked up again. */
const nextLookupMs = 1_000;

interface Adoption extends CallKey {
  readonly laneId: string;
  readonly objectName: string;
  readonly providerId: string;
  readonly index: number;
}

const adoptionColumns: Column<Adoption>[] = [
  ...callKeyColumns,
  column('lane_id', 'text', (a) => a.laneId),
  column('object_name', 'text', (a) => a.objectName),
  column('provider_id', 'text', (a) => a.providerId),
  column('record_index', 'integer', (a) => a.index),
];

interface LaneLock {
  readonly laneId: string;
  readonly isAlone: boolean;
}

const lockColumns: Column<LaneLock>[] = [
  column('lane_id', 'text', (lock) => lock.laneId),
  column('is_alone', 'boolean', (lock) => lock.isAlone),
];

/**
 * Keeps adoptions of a lane apart from each other, and from replies that name what a create of it made: whoever comes second sees what the first has
 * stored. Taken after the order keys, before any row; `adopted_among` takes the same.
 */
export async function lockAdoptions(transaction: Knex.Transaction, settlements: readonly Settlement[]): Promise<void> {
  const locks = settlements
    .filter((settlement) => settlement.isCreate && settlement.records.some(isWritten))
    .map(({ laneId, records }) => ({ laneId, isAlone: records.some(isAdopted) }));
  if (locks.length === 0) return;
  const input = rowSource('i', lockColumns, locks);
  await transaction.raw(
    `select case when k.is_alone then pg_advisory_xact_lock(k.lock)::text else pg_advisory_xact_lock_shared(k.lock)::text end
     from (select adoption_lock(i.lane_id) as lock, bool_or(i.is_alone) as is_alone from ${input.sql} group by 1 order by 1) k`,
    input.bindings as Knex.Value[],
  );
}

/**
 * A provider record belongs to one create. An adoption is undone when another create has made or adopted the same record meanwhile, or does so in
 * this transaction. Its record goes back into doubt and is looked up again. The caller holds the locks of `lockAdoptions`.
 */
export async function undoLateAdoptions(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const adoptions = settlements.flatMap(adoptionsOf);
  if (adoptions.length === 0) return settlements;
  const taken = new Set([...(await findTaken(transaction, adoptions)), ...settlements.flatMap(namedBy).map(keyOf)]);
  return settlements.map((settlement) => {
    const isLate = settlement.records.map((record) => isAdopted(record) && !take(taken, settlement, record.providerId));
    return isLate.includes(true) ? backIntoDoubt(settlement, isLate) : settlement;
  });
}

function take(taken: Set<string>, settlement: Settlement, providerId: string): boolean {
  const key = keyOf({ ...settlement, providerId });
  if (taken.has(key)) return false;
  taken.add(key);
  return true;
}

async function findTaken(transaction: Knex.Transaction, adoptions: readonly Adoption[]): Promise<string[]> {
  const input = rowSource('i', adoptionColumns, adoptions);
  const { rows } = await transaction.raw<{ rows: { ord: string }[] }>(
    `with found as materialized (select * from ${input.sql}),
     made as materialized (
       select c.project_id, c.lane_id, c.object_name, m.provider_id
       from (select distinct project_id, operation_id, number from found) f
       join calls c on c.project_id = f.project_id and c.operation_id = f.operation_id and c.number = f.number
       cross join lateral ${madeSql('c')} m)
     select f.ord from found f where (f.project_id, f.lane_id, f.object_name, f.provider_id) in (select * from made)`,
    input.bindings as Knex.Value[],
  );
  return rows.map(({ ord }) => keyOf(adoptions[Number(ord) - 1] as Adoption));
}

/**
 * How long before the first send of a call another create can have been settled and still have made what a lookup of this call finds. A lookup passes
 * over records that were created before that send, by the provider's clock.
 */
const clockSkew = "interval '1 hour'";

/** SQL: `provider_id` of what creates made that a lookup of the call `call` may find; also what others adopted. */
export function madeSql(call: string): string {
  return `(select unnest(m.provider_ids) as provider_id from outcomes m where m.project_id = ${call}.project_id
    and m.lane_id = ${call}.lane_id and m.object_name = ${call}.object_name and m.ended_at >= ${call}.base_at - ${clockSkew})`;
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

type Adopted = Written & { readonly isAdopted: true; readonly providerId: string };

/** The record was looked up and found. */
export function isAdopted(record: RecordSettlement): record is Adopted {
  return isWritten(record) && record.isAdopted === true && record.providerId !== undefined;
}

function adoptionsOf({ records, ...call }: Settlement): Adoption[] {
  return records.filter(isAdopted).map(({ providerId, index }) => ({ ...call, providerId, index }));
}

/** What replies to its creates named. */
function namedBy({ records, ...call }: Settlement): Adoption[] {
  if (!call.isCreate) return [];
  return records.flatMap((record) =>
    isWritten(record) && !isAdopted(record) && record.providerId !== undefined
      ? [{ ...call, providerId: record.providerId, index: record.index }]
      : [],
  );
}

type FoundRecord = Pick<Adoption, 'projectId' | 'laneId' | 'objectName' | 'providerId'>;

function keyOf({ projectId, laneId, objectName, providerId }: FoundRecord): string {
  return JSON.stringify([projectId, laneId, objectName, providerId]);
}

/** That these creates adopt what they found. */
export async function insertAdoptions(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<void> {
  const adoptions = settlements.flatMap(adoptionsOf);
  if (adoptions.length === 0) return;
  const input = rowSource('i', adoptionColumns, adoptions);
  await transaction.raw(
    `insert into adoptions (project_id, lane_id, object_name, provider_id, operation_id, record_index)
     select project_id, lane_id, object_name, provider_id, operation_id, record_index from ${input.sql}`,
    input.bindings as Knex.Value[],
  );
}

/** SQL: a list of an outcome `o` without what stands in it for the records `t.indexes`. Read from the row itself, which another may have changed before. */
function withoutSql(list: string): string {
  return `(select array_agg(e.value order by e.ord) from unnest(o.record_indexes, o.${list}) with ordinality as e (index, value, ord)
                 where e.index <> all(t.indexes))`;
}

/**
 * A provider record belongs to the create whose reply named it. Another create that had only adopted it goes back into doubt, in the
 * same transaction, also when its operation has ended: it did not succeed after all. A create that a reply named as well keeps the
 * record, and a create whose plan is past the retention time stays as it is. The fence grows, so that nothing under way can settle the
 * call. Locks the adopters' rows after the settlement's own; a deadlock that results is repeated (`guard`).
 * The caller holds the locks of `lockAdoptions`.
 * @returns ids of the operations that are open again
 */
export async function reopenAdopters(
  transaction: Knex.Transaction,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  const named = settlements.flatMap(namedBy);
  if (named.length === 0) return new Set();
  const input = rowSource('i', adoptionColumns, named);
  const result = await transaction.raw<{ rows: { id: string }[] }>(
    `with adopters as (
       select a.*, e.call_number, e.fence from ${input.sql}
       join adoptions a on a.project_id = i.project_id and a.lane_id = i.lane_id and a.object_name = i.object_name
         and a.provider_id = i.provider_id
       join records r on r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = a.record_index
       join record_outcomes e on e.project_id = a.project_id and e.operation_id = a.operation_id and e.record_index = a.record_index
       where r.plan is not null order by a.project_id, a.operation_id, a.record_index for update of a, r),
     released as (delete from adoptions d using adopters a where d.project_id = a.project_id and d.lane_id = a.lane_id
       and d.object_name = a.object_name and d.provider_id = a.provider_id),
     doubted as (update records r set is_unanswered = true, lane_id = a.lane_id, object_name = a.object_name, send_state = 'maybe' from adopters a
       where r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = a.record_index),
     theirs as (select project_id, operation_id, call_number as number, fence, array_agg(record_index) as indexes
       from adopters group by 1, 2, 3, 4),
     undone as (update outcomes o set record_indexes = coalesce(${withoutSql('record_indexes')}, '{}'), provider_ids = ${withoutSql('provider_ids')},
              warnings = ${withoutSql('warnings')}
       from theirs t where o.project_id = t.project_id and o.operation_id = t.operation_id and o.call_number = t.number and o.fence = t.fence
         and o.outcome = 'succeeded'),
     called as (select project_id, operation_id, number, array_agg(member order by member) as indexes
       from theirs cross join unnest(indexes) as member group by 1, 2, 3),
     standing as (select c.*, t.indexes from called t
       join calls c on c.project_id = t.project_id and c.operation_id = t.operation_id and c.number = t.number
       order by 1, 2, 3 for update of c),
     attempted as (${insertUnansweredSql('standing')}),
     marked as (${markSentSql('standing')}),
     moved as (update calls c set state = 'in_doubt', fence = c.fence + 1, owner = null, lease_until = null, sent_members = null, sent_fingerprints = null,
              members = array(select member from unnest(c.members || s.indexes) as member order by 1),
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
  return new Set(result.rows.map((row) => row.id));
}
