import type { Knex } from 'knex';
import { callId, callKeyColumns, toCallKey, type CallKeyRow } from './call-key';
import { column, preparePlan, hiddenFromPlanner, type Column } from '../row-source';
import type { CallKey } from './write-rows';

/** That a call is about to be sent, and with which records. */
export interface Intent extends CallKey {
  readonly fence: number;
  readonly owner: string;
  /** The revision of the integration that the sender has checked: see `ClaimedCall`. */
  readonly revisionId?: string;
  readonly records: readonly { readonly index: number; readonly fingerprint?: string }[];
}

interface IntentRecord extends CallKey {
  readonly index: number;
  readonly fingerprint?: string;
}

const intentColumns: Column<Intent>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (intent) => intent.fence),
  column('owner', 'text', (intent) => intent.owner),
  column('revision_id', 'text', (intent) => intent.revisionId),
];
const recordColumns: Column<IntentRecord>[] = [
  ...callKeyColumns,
  column('record_index', 'integer', (record) => record.index),
  column('fingerprint', 'text', (record) => record.fingerprint),
];

/**
 * Commits the intent of many calls in one statement, before any byte leaves. A committed intent means sent.
 * Returns the ids (`callId`) of the calls that may be sent: the others lost their lease or fence, were cancelled, or lost since
 * their claim what they were accepted on: the installation, its connection, or the manifest that was checked.
 */
export async function insertIntents(database: Knex, intents: readonly Intent[]): Promise<Set<string>> {
  const members = intents.flatMap(({ projectId, operationId, number, records: each }) =>
    each.map((member) => ({ projectId, operationId, number, ...member })),
  );
  const { source, options } = preparePlan('record-intents', members.length);
  const calls = source('i', intentColumns, intents);
  const records = source('r', recordColumns, members);
  const recording = database.raw<{ rows: CallKeyRow[] }>(
    `with members as materialized (select * from ${records.sql}),
     sent as (update calls c set sent_at = now(), attempts = attempts + 1 from ${calls.sql}
              where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
                and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence and c.lease_until > now()
                and exists (select 1 from operations o
                            join installations n on n.project_id = o.project_id and n.id = o.installation_id
                            join integrations g on g.project_id = n.project_id and g.id = n.integration_id
                            where o.project_id = c.project_id and o.id = c.operation_id and o.cancel_requested_at is null
                              and n.connection_id = c.connection_id and g.latest_revision_id = i.revision_id)
              returning c.project_id, c.operation_id, c.number, c.fence, i.owner),
     attempted as (insert into attempts (project_id, operation_id, call_number, fence, owner, record_indexes, sent_at)
              select s.project_id, s.operation_id, s.number, s.fence, s.owner,
                     array(select m.record_index from members m where m.project_id = s.project_id
                           and m.operation_id = s.operation_id and m.number = s.number order by 1), now()
              from sent s),
     marked as (update records t set send_state = 'sent', first_sent_at = coalesce(t.first_sent_at, now()),
                      fingerprint = coalesce(m.fingerprint, t.fingerprint)
              from sent s join members m on m.project_id = s.project_id and m.operation_id = s.operation_id
                   and m.number = s.number
              where t.project_id = m.project_id and t.operation_id = m.operation_id and t.record_index = m.record_index)
     select project_id, operation_id, number from sent`,
    [...records.bindings, ...calls.bindings] as Knex.Value[],
  );
  const result = await recording.options(options);
  return new Set(result.rows.map((row) => callId(toCallKey(row))));
}
