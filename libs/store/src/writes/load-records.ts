import type { SendState } from '@sluice/types';
import type { Knex } from 'knex';
import type { CallKey } from './write-rows';

/** A record still to do, with its plan. */
export interface PendingRecord {
  readonly index: number;
  /** JSON of the write plan. */
  readonly plan: string;
  readonly orderKey?: string;
  readonly sendState: SendState;
  /** When it was first sent; what a reconciliation looks from. */
  readonly firstSentAt?: Date;
  readonly fingerprint?: string;
  /** Time left until its retry deadline, in milliseconds; negative when it has passed. */
  readonly leftMs: number;
  readonly lastError?: { readonly class: string; readonly text: string };
}

interface PendingRow {
  readonly record_index: number;
  readonly plan: string;
  readonly order_key: string | null;
  readonly send_state: SendState;
  readonly first_sent_at: Date | null;
  readonly fingerprint: string | null;
  readonly left_ms: number;
  readonly error_class: string | null;
  readonly error_text: string | null;
}

/** The unfinished records of a call, in accept order. Only these are sent again. */
export async function loadPending(database: Knex, call: CallKey): Promise<PendingRecord[]> {
  const result = await database.raw<{ rows: PendingRow[] }>(
    `select record_index, plan, order_key, send_state, first_sent_at, fingerprint, error_class, error_text,
            extract(epoch from coalesce(retry_until, now()) - now())::float8 * 1000 as left_ms
     from records where project_id = ? and operation_id = ? and call_number = ? and outcome = 'pending'
     order by accept_seq, record_index`,
    [call.projectId, call.operationId, call.number],
  );
  return result.rows.map(toPendingRecord);
}

function toPendingRecord(row: PendingRow): PendingRecord {
  return {
    index: row.record_index,
    plan: row.plan,
    ...(row.order_key === null ? {} : { orderKey: row.order_key }),
    sendState: row.send_state,
    ...(row.first_sent_at === null ? {} : { firstSentAt: row.first_sent_at }),
    ...(row.fingerprint === null ? {} : { fingerprint: row.fingerprint }),
    leftMs: row.left_ms,
    ...(row.error_class === null ? {} : { lastError: { class: row.error_class, text: row.error_text ?? '' } }),
  };
}
