import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, callKeyColumns, callKeyMembers, isInCall, toCallKey } from './write-rows';
import { insertUnansweredSql } from './record-intents';
import type { Page, Step } from './find-ready-lanes';
import { type Column, column, rowSource } from '../row-source';
import { type StoredRow, plain, table } from '../table';

/** A create that is unsent, or sent once, according to a restored database: whether that is still true is unknown. */
const openCreates = table({
  ...callKeyMembers,
  index: plain<number>('record_index'),
  provider: plain('provider'),
  objectName: plain('object_name'),
  /** JSON of the write plan. */
  plan: plain('plan'),
});

export type OpenCreate = ReturnType<typeof openCreates.read>;

type Fingerprinted = Omit<OpenCreate, 'plan'> & { readonly fingerprint: string };

/** The connector's: equal creates have equal fingerprints. */
export type FingerprintOf = (create: OpenCreate) => string;

/**
 * Puts creates that are not settled in doubt, as if each had been sent at this moment and its reply were lost. The executor then looks each one up at
 * the provider before it sends. For a database that was restored from a backup, before the services start. One transaction; its moments count from
 * the acceptance, because that is the earliest at which the provider can have received the record.
 */
export async function markRestoredCreatesInDoubt(
  database: Knex,
  { after = { projectId: '', operationId: '', number: 0 }, limit }: Page<CallKey>,
  fingerprintOf: FingerprintOf,
): Promise<Step<CallKey, CallKey>> {
  return await database.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: CallKeyRow[] }>(
      `select project_id, operation_id, number from calls
       where (project_id, operation_id, number) > (?, ?, ?) and type = 'create' and state in ('ready', 'running', 'in_doubt')
       order by project_id, operation_id, number limit ? for update`,
      [after.projectId, after.operationId, after.number, limit],
    );
    const calls = rows.map(toCallKey);
    if (calls.length > 0) await putInDoubt(transaction, await fingerprintOpen(transaction, calls, fingerprintOf));
    const last = calls.at(-1);
    return { found: calls, ...(last !== undefined && calls.length === limit ? { next: last } : {}) };
  });
}

interface SizedRow extends CallKeyRow {
  readonly record_index: number;
  /** Rows with an equal one have `limits.callPlanBytesMax` of plans together, and one record more at most. */
  readonly piece: number;
}

const recordColumns: Column<SizedRow>[] = [
  column('project_id', 'text', (row) => row.project_id),
  column('operation_id', 'text', (row) => row.operation_id),
  column('number', 'integer', (row) => row.number),
  column('record_index', 'integer', (row) => row.record_index),
];

/** The plans are read piece by piece and released: those of a page of calls may have hundreds of megabytes. */
async function fingerprintOpen(
  transaction: Knex.Transaction,
  calls: readonly CallKey[],
  fingerprintOf: FingerprintOf,
): Promise<Fingerprinted[]> {
  const input = rowSource('i', callKeyColumns, calls);
  const { rows: sizes } = await transaction.raw<{ rows: SizedRow[] }>(
    `select i.project_id, i.operation_id, i.number, r.record_index,
            floor(sum(octet_length(r.plan)) over (order by i.ord, r.record_index) / ${limits.callPlanBytesMax})::integer as piece
     from ${input.sql}
     join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     where r.plan is not null`,
    input.bindings as Knex.Value[],
  );
  const fingerprinted: Fingerprinted[] = [];
  for (const piece of Map.groupBy(sizes, (row) => row.piece).values()) {
    const creates = await readOpen(transaction, piece);
    fingerprinted.push(
      ...creates.map(({ plan, ...key }) => ({ ...key, fingerprint: fingerprintOf({ plan, ...key }) })),
    );
  }
  return fingerprinted;
}

async function readOpen(transaction: Knex.Transaction, piece: readonly SizedRow[]): Promise<OpenCreate[]> {
  const input = rowSource('i', recordColumns, piece);
  const { rows } = await transaction.raw<{ rows: StoredRow[] }>(
    `select i.project_id, i.operation_id, i.number, r.record_index, l.provider, c.object_name, r.plan
     from ${input.sql}
     join records r on r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
     join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
     join lanes l on l.project_id = c.project_id and l.id = c.lane_id`,
    input.bindings as Knex.Value[],
  );
  return rows.map(openCreates.read);
}

async function putInDoubt(transaction: Knex.Transaction, creates: readonly Fingerprinted[]): Promise<void> {
  const columns: Column<Fingerprinted>[] = [
    ...callKeyColumns,
    column('index', 'integer', (create) => create.index),
    column('fingerprint', 'text', (create) => create.fingerprint),
  ];
  const input = rowSource('i', columns, creates);
  await transaction.raw(
    `with given as materialized (select * from ${input.sql}),
     marked as (
       update records r set is_unanswered = true, send_state = 'maybe', fingerprint = g.fingerprint, lane_id = c.lane_id,
              object_name = c.object_name, first_sent_at = coalesce(r.first_sent_at, o.created_at)
       from given g join operations o on o.project_id = g.project_id and o.id = g.operation_id
       join calls c on c.project_id = g.project_id and c.operation_id = g.operation_id and c.number = g.number
       where r.project_id = g.project_id and r.operation_id = g.operation_id and r.record_index = g.index),
     doubted as (
       update calls c set state = 'in_doubt', sent_at = now(), not_before = now(), fence = c.fence + 1, owner = null, lease_until = null,
              sent_members = null, sent_fingerprints = null
       from (select distinct project_id, operation_id, number from given) g
       where c.project_id = g.project_id and c.operation_id = g.operation_id and c.number = g.number
       returning c.project_id, c.operation_id, c.number, c.fence),
     unanswered as (${insertUnansweredSql(`(select c.* from (select distinct project_id, operation_id, number from given) g
       join calls c on c.project_id = g.project_id and c.operation_id = g.operation_id and c.number = g.number)`)})
     insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at)
     select d.project_id, d.operation_id, d.number, d.fence, 'restored', array_agg(g.index order by g.index), now()
     from doubted d join given g on g.project_id = d.project_id and g.operation_id = d.operation_id and g.number = d.number
     group by d.project_id, d.operation_id, d.number, d.fence`,
    input.bindings as Knex.Value[],
  );
}
