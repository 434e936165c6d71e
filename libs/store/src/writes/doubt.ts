import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { madeSql } from './adoptions';
import { isInCall } from './write-rows';
import type { ClaimedCall } from './take-calls';
import type { RecordSettlement } from './settlement';

/** A record's outcome in a reply that lost its fence. */
export interface Evidence {
  readonly settlement: RecordSettlement;
  /** It is of the record's newest attempt: what it refuses was not written by a later one. */
  readonly isNewest: boolean;
}

/** What is known of a call in doubt before it is looked up at the provider. */
export interface Doubt {
  /** Milliseconds since its last send, by the database's clock; how long the provider has had to make its write visible. */
  readonly sinceSentMs: number;
  /** Its last send; absent when no attempt of it is known. */
  readonly lastSentAt?: Date;
  readonly evidence: readonly Evidence[];
  /**
   * Indexes of records that have an equal create in another call, sent before their own window ended, that may still be answered. What a lookup finds
   * may be the record of that create.
   */
  readonly openTwins: readonly number[];
  /** Provider ids that replies to equal creates named, settled or not. */
  readonly twinIds: readonly string[];
}

interface AttemptRow {
  readonly record_indexes: readonly number[];
  readonly late_evidence: string | null;
  readonly sent_at: Date;
  readonly since_ms: number;
}

/**
 * Reads the evidence and the age of a call in doubt, and of equal creates of other calls.
 * @param windowMs how long a twin's send may still be answered
 */
export async function readDoubt(database: Knex, call: ClaimedCall, windowMs: number): Promise<Doubt> {
  const attempts = await readAttempts(database, call);
  const newest = attempts[0];
  const twins = newest === undefined ? [] : await readTwins(database, call, { windowMs, sentAt: newest.sent_at });
  return {
    sinceSentMs: newest?.since_ms ?? 0,
    ...(newest === undefined ? {} : { lastSentAt: newest.sent_at }),
    evidence: attempts.flatMap((row, at) =>
      parseEvidence(row.late_evidence).map((settlement) => ({
        settlement,
        isNewest: !attempts.slice(0, at).some((later) => later.record_indexes.includes(settlement.index)),
      })),
    ),
    openTwins: twins.flatMap((twin) => (twin.is_open ? [twin.record_index] : [])),
    twinIds: twins.flatMap((twin) => twin.late_evidence.flatMap(parseEvidence).flatMap(writtenId)),
  };
}

/** Newest first. A record may have been sent in another call, before that one was divided: its attempts count too. */
async function readAttempts(database: Knex, call: ClaimedCall): Promise<readonly AttemptRow[]> {
  const result = await database.raw<{ rows: AttemptRow[] }>(
    `select a.record_indexes, a.late_evidence, a.sent_at, extract(epoch from now() - a.sent_at)::float8 * 1000 as since_ms
     from calls c join attempts a on a.project_id = c.project_id and a.operation_id = c.operation_id
       and (a.call_number = c.number or a.record_indexes && array(
         select r.record_index from records r where r.project_id = c.project_id and r.operation_id = c.operation_id
           and ${isInCall('r', 'c')}))
     where c.project_id = ? and c.operation_id = ? and c.number = ? order by a.sent_at desc, a.fence desc`,
    [call.projectId, call.operationId, call.number],
  );
  return result.rows;
}

/** What is known of the twins of one record together. */
interface TwinRow {
  readonly record_index: number;
  readonly is_open: boolean;
  readonly late_evidence: readonly string[];
}

/**
 * SQL: other calls `a` of the lane of the call `c` that are being sent. What they send stands there until they are settled or lapse; afterwards
 * in its records. Calls of each mode have an index of their own.
 */
const beingSentSql = `(
  select k.* from (
    (select * from calls o where o.project_id = c.project_id and o.lane_id = c.lane_id and o.state = 'running' and o.mode <> 'synchronous')
    union all
    (select * from calls s where s.project_id = c.project_id and s.lane_id = c.lane_id and s.state = 'running' and s.mode = 'synchronous')) k
  where k.object_name = c.object_name and (k.operation_id, k.number) <> (c.operation_id, c.number) and k.sent_fingerprints is not null) a`;

/**
 * Of more equal creates the newest count. A lookup cannot distinguish them anyway, and a reply that names what another has adopted
 * reclaims it.
 */
const twinsMax = 400;

/**
 * Unsettled records of other calls with an equal fingerprint that were sent, each with its latest send. A create that was sent after our window had
 * ended cannot have made a record within it. Without that bound a stream of equal creates would keep a call in doubt for ever.
 */
async function readTwins(
  database: Knex,
  call: ClaimedCall,
  { windowMs, sentAt }: { windowMs: number; sentAt: Date },
): Promise<TwinRow[]> {
  const result = await database.raw<{ rows: TwinRow[] }>(
    `select r.record_index, bool_or(t.late_evidence is null
            and t.sent_at > now() - make_interval(secs => ?::float8 / 1000)
            and t.sent_at <= ?::timestamptz + make_interval(secs => ?::float8 / 1000)) as is_open,
            coalesce(array_agg(distinct t.late_evidence) filter (where t.late_evidence is not null), '{}') as late_evidence
     from calls c
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     join lateral (
       select x.sent_at, x.late_evidence from (
         select t.operation_id, t.record_index from records t where t.project_id = r.project_id
         and t.lane_id = c.lane_id and t.object_name = c.object_name and t.fingerprint = r.fingerprint
         and t.is_unanswered
         and not (t.operation_id = c.operation_id and ${isInCall('t', 'c')})
         order by t.first_sent_at desc limit ?) u
       join lateral (select a.sent_at, a.late_evidence from attempts a where a.project_id = r.project_id
         and a.operation_id = u.operation_id and u.record_index = any(a.record_indexes)
         order by a.sent_at desc, a.fence desc limit 1) x on true
       union all
       select a.sent_at, null from ${beingSentSql} where r.fingerprint = any(a.sent_fingerprints)) t on true
     where c.project_id = ? and c.operation_id = ? and c.number = ?
       and r.fingerprint is not null and r.send_state <> 'none'
     group by r.record_index`,
    [windowMs, sentAt, windowMs, twinsMax, call.projectId, call.operationId, call.number],
  );
  return result.rows;
}

function parseEvidence(text: string | null): RecordSettlement[] {
  return text === null ? [] : (JSON.parse(text) as RecordSettlement[]);
}

function writtenId(settlement: RecordSettlement): string[] {
  return settlement.kind === 'succeeded' && settlement.providerId !== undefined ? [settlement.providerId] : [];
}

/** Which of these provider ids, found by a lookup of the call, a create has made or adopted already. An id belongs to one create at most. */
export async function findClaimedIds(
  database: Knex,
  call: ClaimedCall,
  providerIds: readonly string[],
): Promise<Set<string>> {
  const { projectId, operationId, number } = call;
  const result = await database.raw<{ rows: { provider_id: string }[] }>(
    `select distinct m.provider_id from calls c cross join lateral ${madeSql('c')} m
     where c.project_id = ? and c.operation_id = ? and c.number = ? and m.provider_id = any(?::text[])`,
    [projectId, operationId, number, providerIds as string[]],
  );
  return new Set(result.rows.map((row) => row.provider_id));
}

/** More in flight or in doubt at once on one account and object are not compared; nor is what goes beyond the plans of one write. */
const rivalsMax = 400;

/** Plans of other creates that a lookup compares with. */
export interface Rivals {
  readonly plans: readonly string[];
  /** False: there are more, or larger ones, than are compared with. */
  readonly isWhole: boolean;
}

/**
 * The newest, the smallest of them first: each with the bytes of all up to it, so that one large plan hides no other. Plans are read only
 * when they are requested.
 */
const rivalsSql = `
  select plan, sum(octet_length(plan)) over (order by octet_length(plan), operation_id, record_index) as bytes from (
    select r.plan, r.operation_id, r.record_index
    from (select * from calls where project_id = ? and operation_id = ? and number = ?) c
    cross join lateral (
      (select r.plan, r.operation_id, r.record_index, r.first_sent_at from records r
       where r.project_id = c.project_id and r.lane_id = c.lane_id and r.object_name = c.object_name and r.is_unanswered
         and r.fingerprint is not null and r.plan is not null
         and not (r.operation_id = c.operation_id and ${isInCall('r', 'c')})
       order by r.first_sent_at desc, r.operation_id, r.record_index limit ${rivalsMax + 1})
      union all
      select r.plan, r.operation_id, r.record_index, a.sent_at from ${beingSentSql}
      join records r on r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = any(a.sent_members)
      where not r.is_unanswered and r.plan is not null) r
    order by r.first_sent_at desc, r.operation_id, r.record_index limit ${rivalsMax + 1}) newest`;

const rivalsOf = (call: ClaimedCall): Knex.Value[] => [call.projectId, call.operationId, call.number];

/**
 * Plans of creates of other calls to the same account and object that were sent and are not settled: one of them may have made what is
 * found.
 */
export async function findRivals(database: Knex, call: ClaimedCall): Promise<Rivals> {
  const result = await database.raw<{ rows: { plan: string | null }[] }>(
    `select case when bytes <= ${limits.planBytesMax} then plan end as plan from (${rivalsSql}) r order by bytes`,
    rivalsOf(call),
  );
  const plans = result.rows.flatMap(({ plan }) => (plan === null ? [] : [plan]));
  return { plans, isWhole: plans.length === result.rows.length && plans.length <= rivalsMax };
}

/** Bytes of what `findRivals` reads, for reserving memory before. */
export async function measureRivals(database: Knex, call: ClaimedCall): Promise<number> {
  const result = await database.raw<{ rows: [{ bytes: number }] }>(
    `select coalesce(max(bytes), 0)::float8 as bytes from (${rivalsSql}) r where bytes <= ${limits.planBytesMax}`,
    rivalsOf(call),
  );
  return result.rows[0].bytes;
}
