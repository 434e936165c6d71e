import { query } from './query';
import type { Measured } from './measured';

/** An auto-batch as it was flushed, in the words of the database. */
export interface Flushed {
  readonly id: string;
  /** Members that are stored, and the count that was sealed. */
  readonly stored: number;
  readonly counted: number;
  /** Keys (installation, object, type) of its members. */
  readonly keys: number;
  /** When it was to be sealed at the latest. */
  readonly dueAtMs: number;
  /** From its due time to its seal, in milliseconds; below 0 for one that was full before. Absent: not sealed yet. */
  readonly lateMs?: number;
}

/**
 * Every auto-batch since that moment. The due time and the seal are both moments of the database's clock, so no load of
 * this machine blurs what lies between: a record's retry time starts at the seal.
 */
export async function readBatches(world: Pick<Measured, 'serviceUrl'>, sinceMs: number): Promise<Flushed[]> {
  const rows = await query<Omit<Flushed, 'lateMs'> & { late_ms: number | null }>(
    world,
    `select o.id, count(r.*)::integer as stored, o.records_total as counted,
            (extract(epoch from o.due_at) * 1000)::float8 as "dueAtMs",
            count(distinct (r.plan::json->>'objectName', r.plan::json->>'type'))::integer as keys,
            (extract(epoch from (select min(c.base_at) from calls c where c.project_id = o.project_id and c.operation_id = o.id)
              - o.due_at) * 1000)::float8 as late_ms
     from operations o left join records r on r.project_id = o.project_id and r.operation_id = o.id
     where o.mode = 'auto-batched' and o.created_at >= ?::timestamptz
     group by o.project_id, o.id, o.records_total, o.due_at`,
    [new Date(sinceMs).toISOString()],
  );
  return rows.map(({ late_ms: lateMs, ...row }) => ({ ...row, ...(lateMs !== null && { lateMs }) }));
}
