import type { Knex } from 'knex';
import type { ClaimedCall } from './claim-calls';
import type { RecordSettlement } from './settlement';

/** What is known of a call in doubt before the provider is asked. */
export interface Doubt {
  /** Milliseconds since its last send, by the database's clock; how long the provider has had to show what it wrote. */
  readonly sinceSentMs: number;
  /** Settlements that lost their fence: what the provider really answered. */
  readonly evidence: readonly RecordSettlement[];
  /** Another call with an equal create was sent and has not settled; its outcome must be known first. */
  readonly hasTwinRunning: boolean;
}

/** Reads the evidence and the age of a call in doubt. */
export async function readDoubt(database: Knex, call: ClaimedCall): Promise<Doubt> {
  const key = [call.projectId, call.operationId, call.number];
  const attempts = await database.raw<{ rows: { late_evidence: string | null; since_ms: number }[] }>(
    `select late_evidence, extract(epoch from now() - sent_at)::float8 * 1000 as since_ms from attempts
     where project_id = ? and operation_id = ? and call_number = ? order by fence desc`,
    key,
  );
  const twins = await database.raw<{ rows: unknown[] }>(
    `select 1 from records r
     join records t on t.project_id = r.project_id and t.lane_id = r.lane_id and t.object_name = r.object_name
       and t.fingerprint = r.fingerprint and t.outcome = 'pending' and t.send_state <> 'none'
       and (t.operation_id, t.record_index) <> (r.operation_id, r.record_index)
     join calls c on c.project_id = t.project_id and c.operation_id = t.operation_id and c.number = t.call_number
     where r.project_id = ? and r.operation_id = ? and r.call_number = ? and r.outcome = 'pending' and r.fingerprint is not null
       and c.state = 'running' and c.sent_at is not null
       and (c.operation_id, c.number) <> (r.operation_id, r.call_number) limit 1`,
    key,
  );
  return {
    sinceSentMs: attempts.rows[0]?.since_ms ?? 0,
    evidence: attempts.rows.flatMap((row) =>
      row.late_evidence === null ? [] : (JSON.parse(row.late_evidence) as RecordSettlement[]),
    ),
    hasTwinRunning: twins.rows.length > 0,
  };
}

/** Which of these provider ids a create has claimed already. An id belongs to one create at most. */
export async function findClaimedIds(
  database: Knex,
  call: ClaimedCall,
  providerIds: readonly string[],
): Promise<Set<string>> {
  const result = await database.raw<{ rows: { claimed_provider_id: string }[] }>(
    `select claimed_provider_id from records
     where project_id = ? and lane_id = ? and object_name = ? and claimed_provider_id = any(?::text[])`,
    [call.projectId, call.laneId, call.objectName, providerIds as string[]],
  );
  return new Set(result.rows.map((row) => row.claimed_provider_id));
}
