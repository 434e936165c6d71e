import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, callId, callKeyColumns, toCallKey } from './write-rows';
import { type Column, column, hiddenFromPlanner, preparePlan, rowSource } from '../row-source';

/** That a call is about to be sent, and with which records. */
export interface Intent extends CallKey {
  readonly fence: number;
  readonly owner: string;
  /** The revision of the integration that the sender has checked: see `ClaimedCall`. */
  readonly revisionId?: string;
  readonly records: readonly { readonly index: number; readonly fingerprint?: string }[];
}

const intentColumns: Column<Intent>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (intent) => intent.fence),
  column('owner', 'text', (intent) => intent.owner),
  column('revision_id', 'text', (intent) => intent.revisionId),
  column('record_indexes', 'text', ({ records }) => `{${records.map(({ index }) => index).join(',')}}`),
  column('fingerprints', 'text', fingerprintsOf),
];
/** In the order of the records; null: none of them has one. */
function fingerprintsOf({ records }: Intent): string | null {
  if (records.every(({ fingerprint }) => fingerprint === undefined)) return null;
  return `{${records.map(({ fingerprint }) => (fingerprint === undefined ? 'NULL' : `"${fingerprint}"`)).join(',')}}`;
}

/**
 * Commits the intent of many calls in one statement, before any byte leaves. A committed intent means sent. No record is written: which were sent
 * stands in the attempt until the call is settled or lapses.
 * Returns the ids (`callId`) of the calls that may be sent: the others lost their lease or fence, were cancelled, or lost since
 * their claim what they were accepted on: the installation, its connection, or the manifest that was checked.
 */
export async function insertIntents(database: Knex, intents: readonly Intent[]): Promise<Set<string>> {
  const { source, options } = preparePlan('record-intents', intents.length);
  const calls = source('i', intentColumns, intents);
  const recording = database.raw<{ rows: CallKeyRow[] }>(
    `with sent as (update calls c set sent_at = now(), attempts = attempts + 1 from ${calls.sql}
              where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
                and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence and c.lease_until > now()
                and exists (select 1 from operations o
                            join installations n on n.project_id = o.project_id and n.id = o.installation_id
                            join integrations g on g.project_id = n.project_id and g.id = n.integration_id
                            where o.project_id = c.project_id and o.id = c.operation_id and o.cancel_requested_at is null
                              and n.connection_id = c.connection_id and g.latest_revision_id = i.revision_id)
              returning c.project_id, c.operation_id, c.number, c.fence, i.owner, i.record_indexes, i.fingerprints),
     attempted as (insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, fingerprints, sent_at)
              select project_id, operation_id, number, fence, owner, record_indexes::integer[], fingerprints::text[], now() from sent)
     select project_id, operation_id, number from sent`,
    calls.bindings as Knex.Value[],
  );
  const result = await recording.options(options);
  return new Set(result.rows.map((row) => callId(toCallKey(row))));
}

interface SentCall extends CallKey {
  readonly fence: number;
}

const sentColumns: Column<SentCall>[] = [...callKeyColumns, column('fence', 'bigint', (call) => call.fence)];

/**
 * SQL: the records of an attempt say themselves that they were sent, since when, and by which lane they are found. So they do from the moment that its call is no longer being
 * sent and they have no outcome: it lapsed, or they are to be tried again. Those of them that end leave it with their settlement.
 * @param calls rows with the key and the fence of each attempt
 */
export function markSentSql(calls: string): string {
  return `
    update records r set is_unanswered = true, lane_id = k.lane_id, object_name = k.object_name, send_state = 'sent', first_sent_at = coalesce(r.first_sent_at, a.sent_at),
           fingerprint = coalesce(a.fingerprints[array_position(a.record_indexes, r.record_index)], r.fingerprint)
    from ${calls} s join attempts a on a.project_id = s.project_id and a.operation_id = s.operation_id
      and a.call_number = s.number and a.fence = s.fence
    join calls k on k.project_id = a.project_id and k.operation_id = a.operation_id and k.number = a.call_number
    where r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = any(a.record_indexes)`;
}

export async function markSent(transaction: Knex.Transaction, calls: readonly SentCall[]): Promise<void> {
  if (calls.length === 0) return;
  const input = rowSource('i', sentColumns, calls);
  await transaction.raw(markSentSql(`(select * from ${input.sql})`), input.bindings as Knex.Value[]);
}
