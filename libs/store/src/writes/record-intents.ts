import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, callId, callKeyColumns, toCallKey } from './write-rows';
import { type Column, column, hiddenFromPlanner, preparedRows, rowSource, textArray } from '../row-source';

/** That a call is about to be sent, and with which records. */
export interface Intent extends CallKey {
  readonly fence: number;
  /** The revision of the integration that the sender has checked: see `ClaimedCall`. */
  readonly revisionId?: string;
  readonly records: readonly { readonly index: number; readonly fingerprint?: string }[];
}

const intentColumns: Column<Intent>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (intent) => intent.fence),
  column('revision_id', 'text', (intent) => intent.revisionId),
  column('record_indexes', 'text', ({ records }) => `{${records.map(({ index }) => index).join(',')}}`),
  column('fingerprints', 'text', ({ records }) => textArray(records.map(({ fingerprint }) => fingerprint))),
];

/**
 * Commits the intent of many calls in one statement, before any byte leaves. A committed intent means sent. No other row is written: which records
 * are sent stands in the call until it is settled or taken from its sender, which inserts the attempt. Returns the ids (`callId`) of the calls that
 * may be sent. The others lost their lease or fence, or were cancelled. Or what they depend on has changed since the claim: the installation,
 * its connection, or the manifest that was checked. Each call is compared alone (`offset 0`). Joined to all of them, a table
 * without statistics has every operation of an installation read (200,000: 5.8 s in place of 0.01).
 */
export async function insertIntents(database: Knex, intents: readonly Intent[]): Promise<Set<string>> {
  const calls = preparedRows('i', intentColumns, intents);
  const recording = database.raw<{ rows: CallKeyRow[] }>(
    `update calls c set sent_at = now(), attempts = attempts + 1, sent_members = i.record_indexes::integer[],
            sent_fingerprints = i.fingerprints::text[] from ${calls.sql}
              where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
                and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence and c.lease_until > now()
                and c.sent_members is null
                and exists (select 1 from operations o
                            join installations n on n.project_id = o.project_id and n.id = o.installation_id
                            join integrations g on g.project_id = n.project_id and g.id = n.integration_id
                            where o.project_id = c.project_id and o.id = c.operation_id and o.cancel_requested_at is null
                              and n.connection_id = c.connection_id and g.latest_revision_id = i.revision_id offset 0)
              returning c.project_id, c.operation_id, c.number`,
    calls.bindings as Knex.Value[],
  );
  const result = await recording.options({ name: 'record-intents' });
  return new Set(result.rows.map((row) => callId(toCallKey(row))));
}

/**
 * SQL: attempts without an answer, of calls that are taken from whoever sends them. A reply that comes later is stored with them.
 * @param calls rows of `calls` as they are before that
 */
export function insertUnansweredSql(calls: string): string {
  return `
    insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at)
    select s.project_id, s.operation_id, s.number, s.fence, s.owner, s.sent_members, s.sent_at from ${calls} s where s.sent_members is not null`;
}

/**
 * SQL: marks the records of an unanswered intent as sent. Called when the call lapses or is retried; records that ended are settled instead.
 * @param calls rows of `calls` as they are before that
 */
export function markSentSql(calls: string): string {
  return `
    update records r set is_unanswered = true, lane_id = s.lane_id, object_name = s.object_name, send_state = 'sent', first_sent_at = coalesce(r.first_sent_at, s.sent_at),
           fingerprint = coalesce(s.sent_fingerprints[array_position(s.sent_members, r.record_index)], r.fingerprint)
    from ${calls} s
    where r.project_id = s.project_id and r.operation_id = s.operation_id and r.record_index = any(s.sent_members)`;
}

/** @param calls locked, and not settled yet */
export async function markSent(transaction: Knex.Transaction, calls: readonly CallKey[]): Promise<void> {
  if (calls.length === 0) return;
  const input = rowSource('i', callKeyColumns, calls);
  await transaction.raw(
    markSentSql(`(select c.* from ${input.sql} join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id
      and c.number = i.number)`),
    input.bindings as Knex.Value[],
  );
}
