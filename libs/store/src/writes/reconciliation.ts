import type { Knex } from 'knex';
import type { ClaimedCall } from './claim-calls';
import type { RecordSettlement } from './settlement';

/** A record's outcome in a reply that lost its fence. */
export interface Evidence {
  readonly settlement: RecordSettlement;
  /** It is of the newest attempt: what it refuses was not written by a later one. */
  readonly isNewest: boolean;
}

/** What is known of a call in doubt before the provider is asked. */
export interface Doubt {
  /** Milliseconds since its last send, by the database's clock; how long the provider has had to show what it wrote. */
  readonly sinceSentMs: number;
  readonly evidence: readonly Evidence[];
  /** Another call with an equal create was sent and may still be answered: what is found may be that one's record. */
  readonly hasOpenTwin: boolean;
  /** Provider ids that replies to equal creates named, settled or not. */
  readonly twinIds: readonly string[];
}

interface AttemptRow {
  readonly fence: string;
  readonly late_evidence: string | null;
  readonly since_ms: number;
}

/** Reads the evidence and the age of a call in doubt, and of equal creates of other calls. */
export async function readDoubt(database: Knex, call: ClaimedCall, windowMs: number): Promise<Doubt> {
  const attempts = await database.raw<{ rows: AttemptRow[] }>(
    `select fence, late_evidence, extract(epoch from now() - sent_at)::float8 * 1000 as since_ms from attempts
     where project_id = ? and operation_id = ? and call_number = ? order by fence desc`,
    [call.projectId, call.operationId, call.number],
  );
  const newest = attempts.rows[0]?.fence;
  const twins = await readTwins(database, call, windowMs);
  return {
    sinceSentMs: attempts.rows[0]?.since_ms ?? 0,
    evidence: attempts.rows.flatMap((row) =>
      parseEvidence(row.late_evidence).map((settlement) => ({ settlement, isNewest: row.fence === newest })),
    ),
    hasOpenTwin: twins.some((twin) => twin.is_open),
    twinIds: twins.flatMap((twin) => parseEvidence(twin.late_evidence).flatMap(writtenId)),
  };
}

interface TwinRow {
  readonly is_open: boolean;
  readonly late_evidence: string | null;
}

/** Unsettled records of other calls with an equal fingerprint that were sent, each with its latest attempt. */
async function readTwins(database: Knex, call: ClaimedCall, windowMs: number): Promise<TwinRow[]> {
  const result = await database.raw<{ rows: TwinRow[] }>(
    `select a.late_evidence, a.late_evidence is null and a.sent_at > now() - make_interval(secs => ?::float8 / 1000) as is_open
     from records r
     join records t on t.project_id = r.project_id and t.lane_id = r.lane_id and t.object_name = r.object_name
       and t.fingerprint = r.fingerprint and t.outcome = 'pending' and t.send_state <> 'none'
       and (t.operation_id, t.call_number) <> (r.operation_id, r.call_number)
     join lateral (select x.sent_at, x.late_evidence from attempts x where x.project_id = t.project_id
       and x.operation_id = t.operation_id and x.call_number = t.call_number order by x.fence desc limit 1) a on true
     where r.project_id = ? and r.operation_id = ? and r.call_number = ? and r.outcome = 'pending'
       and r.fingerprint is not null and r.send_state <> 'none'`,
    [windowMs, call.projectId, call.operationId, call.number],
  );
  return result.rows;
}

function parseEvidence(text: string | null): RecordSettlement[] {
  return text === null ? [] : (JSON.parse(text) as RecordSettlement[]);
}

function writtenId(settlement: RecordSettlement): string[] {
  return settlement.kind === 'succeeded' && settlement.providerId !== undefined ? [settlement.providerId] : [];
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
