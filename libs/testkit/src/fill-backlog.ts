import { newId, openDatabase } from '@sluice/store';
import { patientLimits } from './template-database';

/** The installation whose writes wait. A `SeededInstallation` is one. */
export interface BacklogOwner {
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
  readonly configId: string;
  readonly connectionId: string;
}

export interface Backlog {
  /** Operations, each with one call and one record, that are ready at once. */
  readonly calls: number;
  /** Lanes that they are dealt to in turns. 1: the connection's own lane; more: lanes made for it, none of them blocked. @default 1 */
  readonly lanes?: number;
  /** @default `update`, which has an order key; a `create` has none */
  readonly type?: 'create' | 'update';
  /** Provider object of the writes. @default `contacts` */
  readonly objectName?: string;
}

/** Rows of one insert: a statement of a few seconds on a small machine. */
const callsPerInsert = 50_000;

/**
 * Puts accepted asynchronous writes straight into the tables, as the gateway leaves them: nothing is announced, so sweeps find them.
 * Writes the field `email`, another value and another provider record each. A million take about a minute and 1.5 GB.
 * @param url of the database; its user must own the tables, because the statistics are renewed at the end
 * @returns the lanes, in turns
 */
export async function fillBacklog(url: string, owner: BacklogOwner, backlog: Backlog): Promise<{ laneIds: string[] }> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'sluice-testkit', limits: patientLimits });
  try {
    await database.raw('set statement_timeout = 0');
    const laneIds = await chooseLanes(database, owner, backlog.lanes ?? 1);
    const idPrefix = newId().slice(0, 24);
    for (let from = 0; from < backlog.calls; from += callsPerInsert) {
      const to = Math.min(from + callsPerInsert, backlog.calls) - 1;
      await insertWrites(database, owner, { ...backlog, idPrefix, laneIds, from, to });
    }
    await database.raw('vacuum (analyze) operations, calls, records, lanes');
    return { laneIds };
  } finally {
    await database.destroy();
  }
}

type Database = ReturnType<typeof openDatabase>;

async function chooseLanes(database: Database, owner: BacklogOwner, lanes: number): Promise<string[]> {
  const own = await database('connections')
    .where({ project_id: owner.projectId, id: owner.connectionId })
    .select('lane_id', 'provider')
    .first<{ lane_id: string; provider: string } | undefined>();
  if (own === undefined) throw new Error('the owner of the backlog has no connection');
  if (lanes === 1) return [own.lane_id];
  const idPrefix = newId().slice(0, 24);
  const made = await database.raw<{ rows: { id: string }[] }>(
    `insert into lanes (project_id, id, provider, account_ref)
     select ?, ? || lpad(to_hex(n), 12, '0'), ?, 'backlog-' || ? || n from generate_series(1, ?::integer) n returning id`,
    [owner.projectId, idPrefix, own.provider, idPrefix, lanes],
  );
  return made.rows.map(({ id }) => id);
}

interface Slice extends Backlog {
  readonly idPrefix: string;
  readonly laneIds: readonly string[];
  readonly from: number;
  readonly to: number;
}

async function insertWrites(database: Database, owner: BacklogOwner, slice: Slice): Promise<void> {
  const { type = 'update', objectName = 'contacts' } = slice;
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await database.raw(
    `with given as materialized (
       select n, :idPrefix || lpad(to_hex(n), 12, '0') as id, lane_ids[n % cardinality(lane_ids) + 1] as lane_id,
              case :type when 'update' then n::text end as record_id
       from (select :laneIds::text[] as lane_ids) l, generate_series(:from::integer, :to::integer) n),
     opened as (
       insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                               type, mode, state, records_total, calls_open, traceparent)
       select :projectId, id, :integrationId, :installationId, :configId, :connectionId, lane_id, :objectName,
              :type, 'asynchronous', 'queued', 1, 1, :traceparent from given),
     called as (
       insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, traceparent, deadline)
       select :projectId, id, 1, lane_id, :connectionId, :objectName, :type, 'asynchronous', 'ready', :traceparent,
              now() + interval '48 hours' from given),
     stored as (
       insert into records (project_id, operation_id, record_index, accept_seq, order_key, traceparent, config_id, plan, retry_ms)
     select :projectId, id, 0, nextval('accept_seq'),
            lane_id || '/' || :objectName || '/' || record_id, :traceparent, :configId,
            json_strip_nulls(json_build_object('type', :type::text, 'objectName', :objectName::text, 'recordId', record_id,
                                               'fields', json_build_object('email', id || '@example.com')))::text,
            172800000
       from given order by n returning *)
     insert into order_queue (project_id, order_key, accept_seq, record_index, operation_id)
     select project_id, order_key, accept_seq, record_index, operation_id from stored where order_key is not null`,
    { ...owner, ...slice, type, objectName, traceparent },
  );
}
