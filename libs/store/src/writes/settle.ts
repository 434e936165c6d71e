import { DefectError, type SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { callId, toCallKey, type CallKeyRow } from './write-rows';
import { guard } from '../guard';
import { settleTogether } from './settle-calls';
import type { ReleasedCall, Settled, SettledTogether, Settlement, SettlingAnswer } from './settlement';
import type { OperationState } from '@sluice/types';
import { isAwaitedSql, isNotified, operationsPerStatement } from '../webhooks/notify';
import { toEnded } from './end-operations';
import { isAdopted } from './adoptions';
import {
  column,
  hiddenFromPlanner,
  rowBindings,
  textArray,
  type Column,
  preparedRows,
  type RowSource,
} from '../row-source';
import { endingColumns, eventColumn, intentSql, isWritten, settlementColumns, settleStatement } from './settled-rows';

/**
 * Settles calls: those that are all of their operation in one statement, then the others in one transaction. A call that
 * one row makes impossible is left out of the answers; its neighbours are settled. A failure of the transaction is the answer for the
 * calls in it.
 * @throws SluiceError when nothing was settled
 */
export async function settle(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
  failpoints: StoreFailpoints = nowhere,
): Promise<SettledTogether> {
  const answers = new Map<string, SettlingAnswer>();
  const released: ReleasedCall[] = [];
  const others = () => settlements.filter((settlement) => !answers.has(callId(settlement)));
  const add = (settled?: SettledTogether): void => {
    for (const [id, answer] of settled?.answers ?? []) answers.set(id, answer);
    released.push(...(settled?.released ?? []));
  };
  try {
    for (const [isReported, plain] of Map.groupBy(settlements.filter(isPlain), mayBeNotified)) {
      const most = isReported ? operationsPerStatement : plain.length;
      for (let from = 0; from < plain.length; from += most) {
        const part = plain.slice(from, from + most);
        add(await unlessRefused(guard(() => settleWhole(database, part, isReported))));
      }
    }
    if (others().length === 0) return { answers, released };
    if (answers.size > 0) await failpoints.hit('st.after_whole');
    add(await settleRowByRow(database, others(), timeScale));
  } catch (reason) {
    if (answers.size === 0) throw reason;
    if (!(reason instanceof DefectError))
      for (const settlement of others()) answers.set(callId(settlement), reason as SluiceError);
  }
  return { answers, released };
}

async function settleRowByRow(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
): Promise<SettledTogether> {
  try {
    return await guard(() => settleTogether(database, settlements, timeScale));
  } catch (error) {
    if (settlements.length === 1 || !(error instanceof DefectError)) throw error;
    const answers = new Map<string, SettlingAnswer>();
    const released: ReleasedCall[] = [];
    // Offered again, behind their fences: only what cannot be stored at all is left out.
    for (const [at, settlement] of settlements.entries()) {
      try {
        const alone = await unlessRefused(settleRowByRow(database, [settlement], timeScale));
        for (const [id, answer] of alone?.answers ?? []) answers.set(id, answer);
        released.push(...(alone?.released ?? []));
      } catch (reason) {
        if (answers.size === 0) throw reason;
        // What is settled keeps its answer, and what it released is announced.
        for (const other of settlements.slice(at)) answers.set(callId(other), reason as SluiceError);
        break;
      }
    }
    return { answers, released };
  }
}

/** A statement that the database refuses for one of its rows has changed nothing. */
async function unlessRefused<Result>(settling: Promise<Result>): Promise<Result | undefined> {
  return await settling.catch((reason: unknown) => {
    if (!(reason instanceof DefectError)) throw reason;
    return undefined;
  });
}

/*
 * Most calls are all of their operation and end at their first attempt. What is written of them fits one statement: one round trip and one commit,
 * where `settleTogether` takes six. Both run `settleStatement`. Left to `settleTogether`: calls whose records wait for each other, adopt, continue or
 * were sent before, and operations of several calls, with a request to cancel, or the first of their project that endpoints are notified of.
 */

/** Needs no lock on order keys, and no rows of others. */
function isPlain({ next, isCreate, orderKeys, idempotency, records }: Settlement): boolean {
  const ends = next.state === 'done' && isCreate && orderKeys.length === 0 && idempotency === undefined;
  return ends && records.every((record) => record.kind !== 'again' && !isAdopted(record));
}

function mayBeNotified({ projectId, mode }: Settlement): boolean {
  return mode !== 'synchronous' && isNotified(projectId);
}

/** Of creates whose replies named records. */
const namedColumns: Column<Settlement>[] = [
  column('project_id', 'text', (s) => s.projectId),
  column('lane_id', 'text', (s) => s.laneId),
  column('object_name', 'text', (s) => s.objectName),
  column('operation_id', 'text', (s) => s.operationId),
  column('provider_ids', 'text', (s) =>
    textArray(s.records.map((record) => (isWritten(record) ? record.providerId : null))),
  ),
];

/**
 * Order: 1. the locks against adoptions. 2. Each operation's row, then its call's, in id order: what may be settled here, as these rows are at that
 * moment. 3. Outcomes, attempts, calls. 4. The operations end.
 * @returns what was settled; whatever is absent is untouched
 */
export async function settleWhole(
  database: Knex,
  plain: readonly Settlement[],
  isReported: boolean,
): Promise<SettledTogether> {
  const name = isReported ? 'settle-notified' : 'settle-whole';
  const { sql, bindings } = wholeStatement(plain, isReported);
  type Row = CallKeyRow & { id: string; state: OperationState; result: string };
  const { rows } = await database.raw<{ rows: Row[] }>(sql, bindings as Knex.Value[]).options({ name });
  const answers = rows.map((row): [string, Settled] => [callId(toCallKey(row)), { isHeld: true, ended: toEnded(row) }]);
  return { answers: new Map(answers), released: [] };
}

function wholeStatement(plain: readonly Settlement[], isReported: boolean): RowSource {
  const given = preparedRows(
    'i',
    [...settlementColumns, ...endingColumns, ...(isReported ? [eventColumn] : [])],
    plain,
  );
  const named = plain.filter((settlement) => settlement.records.some(isWritten));
  const sql = `
    select i.*, ${intentSql} from ${given.sql}
    join operations o on o.project_id = i.project_id and o.id = i.operation_id and o.state = 'queued'
      and o.calls_open = 1 and o.cancel_requested_at is null and o.records_total = i.succeeded + i.failed
      and ${isReported ? 'true' : `not ${isAwaitedSql}`}
    join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
      and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence
      and case when c.sent_members is null then c.attempts = 0 and c.sent_at is null else c.attempts = 1 end
    where (i.project_id, i.operation_id) not in (
        select project_id, operation_id from adopted_among(?::text[], ?::text[], ?::text[], ?::text[], ?::text[]))
    order by o.project_id, o.id for update of o, c`;
  const bindings = [...given.bindings, ...rowBindings(namedColumns, named)];
  return settleStatement(plain, { sql, bindings, isWhole: true, isNotified: isReported });
}
