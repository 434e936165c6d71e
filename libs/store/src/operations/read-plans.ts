import type { WritePlan } from '@sluice/types';
import type { Knex } from 'knex';

/** What was accepted of one record. */
export interface AcceptedPlan {
  readonly provider: string;
  readonly plan: WritePlan;
}

/** A larger plan stays where it is: the length of a text is known without reading it. Of a page of 100 records 1.6 MB are read at most. */
const planBytesMax = 16_384;

/** What was accepted of these records, by index. Without those whose plan is no longer kept, or has more than 16 KB. */
export async function readPlans(
  database: Knex,
  projectId: string,
  operationId: string,
  indexes: readonly number[],
): Promise<ReadonlyMap<number, AcceptedPlan>> {
  const { rows } = await database.raw<{ rows: { record_index: number; provider: string; plan: string }[] }>(
    `select r.record_index, l.provider, r.plan
     from operations o join lanes l on l.project_id = o.project_id and l.id = o.lane_id
     join records r on r.project_id = o.project_id and r.operation_id = o.id
     where o.project_id = :projectId and o.id = :operationId and r.record_index = any(:indexes::integer[])
       and octet_length(r.plan) <= :planBytesMax`,
    { projectId, operationId, indexes, planBytesMax } as never,
  );
  return new Map(
    rows.map(({ record_index: index, provider, plan }) => [index, { provider, plan: JSON.parse(plan) as WritePlan }]),
  );
}
