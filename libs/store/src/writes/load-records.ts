import type { SendState } from '@sluice/types';
import type { Knex } from 'knex';
import { momentOf } from '../new-id';
import { type CallKey, callKeyColumns, deadlineSql, isInCall } from './write-rows';
import { preparedRows } from '../row-source';

/** An unfinished record, with its plan. */
export interface PendingRecord {
  readonly index: number;
  /** JSON of the write plan. */
  readonly plan: string;
  readonly orderKey?: string;
  readonly sendState: SendState;
  /** When it was first sent: the start of what a reconciliation searches. */
  readonly firstSentAt?: Date;
  readonly fingerprint?: string;
  /** Time left until its retry deadline, in milliseconds; negative when it has passed. */
  readonly leftMs: number;
  readonly lastError?: { readonly class: string; readonly text: string };
  /** Its accept, as a trace names it. Absent: it is being written in the request that carries it. */
  readonly accepted?: AcceptPosition;
}

/** Where and when a record was accepted. */
export interface AcceptPosition {
  readonly traceparent: string;
  readonly at: Date;
}

interface PendingRow {
  readonly ord: string;
  readonly record_index: number;
  readonly plan: string;
  readonly order_key: string | null;
  readonly send_state: SendState;
  readonly first_sent_at: Date | null;
  readonly fingerprint: string | null;
  readonly left_ms: number;
  readonly error_class: string | null;
  readonly error_text: string | null;
  readonly traceparent: string;
  readonly accepted_at: Date | null;
}

/** The unfinished records of each call, in accept order. Only these are sent again. @returns in the order of the calls */
export async function loadPending(
  database: Knex,
  calls: readonly CallKey[],
): Promise<readonly (readonly PendingRecord[])[]> {
  const input = preparedRows('i', callKeyColumns, calls);
  const loading = database.raw<{ rows: PendingRow[] }>(
    `select i.ord, r.record_index, r.plan, r.order_key, r.send_state, r.first_sent_at, r.fingerprint, r.error_class,
            r.error_text, r.traceparent, r.accepted_at,
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
    pending[at]?.push(toPendingRecord(row, calls[at] as CallKey));
  }
  return pending;
}

/** An unfinished record, without its plan. */
export type PendingSize = Pick<PendingRecord, 'index' | 'orderKey' | 'sendState' | 'lastError'> & {
  /** Of its plan as stored. */
  readonly planBytes: number;
};

/** The unfinished records of a call whose plans are more than an executor loads, in accept order. */
export async function readPendingSizes(database: Knex, call: CallKey): Promise<readonly PendingSize[]> {
  type Row = Pick<PendingRow, 'record_index' | 'order_key' | 'send_state' | 'error_class' | 'error_text'>;
  const result = await database.raw<{ rows: (Row & { readonly plan_bytes: number })[] }>(
    `select r.record_index, r.order_key, r.send_state, r.error_class, r.error_text, octet_length(r.plan) as plan_bytes from calls c
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     where c.project_id = ? and c.operation_id = ? and c.number = ? order by r.accept_seq, r.record_index`,
    [call.projectId, call.operationId, call.number],
  );
  return result.rows.map((row) => ({
    index: row.record_index,
    ...(row.order_key === null ? {} : { orderKey: row.order_key }),
    sendState: row.send_state,
    ...(row.error_class === null ? {} : { lastError: { class: row.error_class, text: row.error_text ?? '' } }),
    planBytes: row.plan_bytes,
  }));
}

function toPendingRecord(row: PendingRow, { operationId }: CallKey): PendingRecord {
  return {
    index: row.record_index,
    plan: row.plan,
    ...(row.order_key === null ? {} : { orderKey: row.order_key }),
    sendState: row.send_state,
    ...(row.first_sent_at === null ? {} : { firstSentAt: row.first_sent_at }),
    ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
    leftMs: row.left_ms,
    ...(row.error_class === null ? {} : { lastError: { class: row.error_class, text: row.error_text ?? '' } }),
    // An operation's id is made at the accept; a record of an auto-batch has a moment of its own.
    accepted: { traceparent: row.traceparent, at: row.accepted_at ?? momentOf(operationId) },
  };
}
