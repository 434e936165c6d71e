import type { SendState } from '@sluice/types';
import type { Knex } from 'knex';
import { momentOf } from '../new-id';
import { type CallKey, callKeyColumns, deadlineSql, isInCall } from './write-rows';
import { preparedRows } from '../row-source';
import { type StoredRow, optional, plain, table } from '../table';

/** An unfinished record, without its plan. */
const pendingSizes = {
  index: plain<number>('record_index'),
  orderKey: optional(plain('order_key')),
  sendState: plain<SendState>('send_state'),
  lastError: optional(plain<{ readonly class: string; readonly text: string }>('last_error')),
};

/** An unfinished record, as a call loads it. */
const pendingRecords = table({
  ...pendingSizes,
  /** JSON of the write plan. */
  plan: plain('plan'),
  /** When it was first sent: the start of what a reconciliation searches. */
  firstSentAt: optional(plain<Date>('first_sent_at')),
  fingerprint: optional(plain('fingerprint')),
  /** What the caller sent as `Sluice-Record-Ref`. */
  ref: optional(plain('ref')),
  /** Time left until its retry deadline, in milliseconds; negative when it has passed. */
  leftMs: plain<number>('left_ms'),
});

/** An unfinished record, with its plan. */
export interface PendingRecord extends ReturnType<typeof pendingRecords.read> {
  /** Its accept, as a trace names it. Absent: it is being written in the request that carries it. */
  readonly accepted?: AcceptPosition;
}

/** Where and when a record was accepted. */
export interface AcceptPosition {
  readonly traceparent: string;
  readonly at: Date;
}

interface PendingRow extends StoredRow {
  readonly ord: string;
  readonly traceparent: string;
  readonly accepted_at: Date | null;
}

/** SQL: the error of the last try of a record `r`; null: there was none. */
export const lastErrorSql = (r: string): string =>
  `case when ${r}.error_class is not null then json_build_object('class', ${r}.error_class, 'text', coalesce(${r}.error_text, '')) end`;

/** The unfinished records of each call, in accept order. Only these are sent again. @returns in the order of the calls */
export async function loadPending(
  database: Knex,
  calls: readonly CallKey[],
): Promise<readonly (readonly PendingRecord[])[]> {
  const input = preparedRows('i', callKeyColumns, calls);
  const loading = database.raw<{ rows: PendingRow[] }>(
    `select i.ord, r.record_index, r.plan, r.order_key, r.send_state, r.first_sent_at, r.fingerprint, r.ref, r.traceparent,
            r.accepted_at, ${lastErrorSql('r')} as last_error,
            extract(epoch from ${deadlineSql('r', 'c')} - now())::float8 * 1000 as left_ms
     from ${input.sql}
     join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     order by i.ord, r.accept_seq, r.record_index`,
    input.bindings as Knex.Value[],
  );
  const result = await loading.options({ name: 'load-pending' });
  const pending: PendingRecord[][] = calls.map(() => []);
  for (const row of result.rows) {
    const at = Number(row.ord) - 1;
    const { operationId } = calls[at] as CallKey;
    // An operation's id is made at the accept; a record of an auto-batch has a moment of its own.
    const accepted = { traceparent: row.traceparent, at: row.accepted_at ?? momentOf(operationId) };
    pending[at]?.push({ ...pendingRecords.read(row), accepted });
  }
  return pending;
}

const sizes = table({
  ...pendingSizes,
  /** Of its plan as stored. */
  planBytes: plain<number>('plan_bytes'),
});

/** The unfinished records of a call whose plans are more than an executor loads, in accept order. */
export async function readPendingSizes(
  database: Knex,
  call: CallKey,
): Promise<readonly ReturnType<typeof sizes.read>[]> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `select r.record_index, r.order_key, r.send_state, ${lastErrorSql('r')} as last_error, octet_length(r.plan) as plan_bytes from calls c
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     where c.project_id = ? and c.operation_id = ? and c.number = ? order by r.accept_seq, r.record_index`,
    [call.projectId, call.operationId, call.number],
  );
  return rows.map(sizes.read);
}
