import { DefectError, type SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { callId, toCallKey } from './write-rows';
import { guard } from '../guard';
import { settleTogether } from './settle-calls';
import type { ReleasedCall, Settled, SettledTogether, Settlement, SettlingAnswer } from './settlement';
import { isAwaitedSql, isNotified, isWatchedSql, operationsPerStatement } from '../webhooks/notify';
import { toEnded } from './end-operations';
import { isAdopted } from './adoptions';
import {
  type Column,
  type RowSource,
  column,
  hiddenFromPlanner,
  preparedRows,
  rowBindings,
  textArray,
} from '../row-source';
import {
  type SettledRow,
  endingColumns,
  eventColumn,
  intentSql,
  isCounted,
  isReleased,
  isWritten,
  settlementColumns,
  settleStatement,
} from './settled-rows';
import { lockBindings, lockKeySql, orderKeysSql, releasedCalls } from './order-queue';

/**
 * Settles calls: those that are all of their operation in one statement, then the others in one transaction. A call that
 * the database rejects because of one row is left out of the answers; its neighbours are settled. A failure of the transaction is the answer for the
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
  const open = new Map(settlements.map((settlement) => [callId(settlement), settlement]));
  const add = (settled: SettledTogether | undefined): void => {
    for (const [id, answer] of settled?.answers ?? []) {
      answers.set(id, answer);
      open.delete(id);
    }
    released.push(...(settled?.released ?? []));
  };
  const settleOthers = async (others: readonly Settlement[]): Promise<void> =>
    add(await guard(() => settleTogether(database, others, timeScale)));
  try {
    for (const [kind, plain] of Map.groupBy(settlements.filter(isPlain), kindOf)) {
      const most = kind.endsWith('notified') ? operationsPerStatement : plain.length;
      for (let from = 0; from < plain.length; from += most) {
        const part = plain.slice(from, from + most);
        add(await unlessRefused(guard(() => settleWhole(database, kind, part, timeScale))));
      }
    }
    if (open.size === 0) return { answers, released };
    if (answers.size > 0) await failpoints.hit('st.after_whole');
    const others = [...open.values()];
    await settleOthers(others).catch(async (reason: unknown) => {
      if (others.length === 1 || !(reason instanceof DefectError)) throw reason;
      // Offered again, behind their fences: only what cannot be stored at all is left out.
      for (const other of others) {
        await unlessRefused(settleOthers([other]));
        open.delete(callId(other));
      }
    });
  } catch (reason) {
    if (answers.size === 0) throw reason;
    // What is settled keeps its answer, and what it released is announced.
    if (!(reason instanceof DefectError)) for (const id of open.keys()) answers.set(id, reason as SluiceError);
  }
  return { answers, released };
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
 * where `settleTogether` takes six or more. Both run `settleStatement`. `settleTogether` gets the others. These are calls with an idempotency
 * key, and calls whose records adopt, continue or were sent before. It also gets operations of several calls, those with a request to cancel, the
 * first of a project that is notified, and those that failed where an endpoint watches the health of installations.
 */

function isPlain({ number, next, isCreate, orderKeys, idempotency, records }: Settlement): boolean {
  // A call that has a number above 1 is not all of its operation.
  const ends =
    number === 1 && next.state === 'done' && !(isCreate && orderKeys.length > 0) && idempotency === undefined;
  return ends && records.every((record) => record.kind !== 'again' && !isAdopted(record));
}

/** Settlements of one kind share a statement. Creates have no order keys, and only they name what they made. */
type WholeKind = `${'creates' | 'updates'}${'' | '-notified'}`;

function kindOf({ isCreate, projectId, mode }: Settlement): WholeKind {
  const kind = isCreate ? 'creates' : 'updates';
  return mode !== 'synchronous' && isNotified(projectId) ? `${kind}-notified` : kind;
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
 * Order: 1. The locks of the order keys, or those against adoptions. 2. Each operation's row, then its call's, in id order: what may be settled here, as
 * these rows are at that moment. 3. Outcomes, attempts, calls, queues, barriers. 4. The operations end, with their notifications.
 * @param plain of one kind
 * @returns what was settled; whatever is absent is untouched
 */
export async function settleWhole(
  database: Knex,
  kind: WholeKind,
  plain: readonly Settlement[],
  timeScale: number,
): Promise<SettledTogether> {
  const how = { isOrdered: kind.startsWith('updates'), isNotified: kind.endsWith('notified') };
  const columns = [...settlementColumns, ...endingColumns, ...(how.isNotified ? [eventColumn] : [])];
  const given = preparedRows('i', columns, plain);
  const condition = how.isOrdered ? lockKeys(plain) : areUnadopted(plain);
  const held = {
    sql: `
      select i.*, ${intentSql} from ${given.sql}
      join operations o on o.project_id = i.project_id and o.id = i.operation_id and o.state = 'queued'
        and o.calls_open = 1 and o.cancel_requested_at is null and o.records_total = i.succeeded + i.failed
        ${how.isNotified ? '' : `and not ${isAwaitedSql}`}
        and (i.succeeded > 0 or o.records_total = 0 or not ${isWatchedSql('o.project_id')})
      join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
        and c.state = ${hiddenFromPlanner('running')} and c.fence = i.fence
        and case when c.sent_members is null then c.attempts = 0 and c.sent_at is null else c.attempts = 1 end
      where ${condition.sql}
      order by o.project_id, o.id for update of o, c`,
    bindings: [...given.bindings, ...condition.bindings],
  };
  const { sql, bindings } = settleStatement(plain, { ...held, ...how, timeScale, isWhole: true });
  const { rows } = await database
    .raw<{ rows: SettledRow[] }>(sql, bindings as Knex.Value[])
    .options({ name: `settle-${kind}` });
  const answers = rows
    .filter(isCounted)
    .map((row): [string, Settled] => [callId(toCallKey(row)), { isHeld: true, ended: toEnded(row) }]);
  return { answers: new Map(answers), released: rows.filter(isReleased).map(releasedCalls.read) };
}

/** Evaluated before any row is read, because it depends on none. */
function lockKeys(plain: readonly Settlement[]): RowSource {
  const keys = plain.flatMap(({ orderKeys }) => orderKeys);
  return { sql: `(select count(${lockKeySql}::text) from ${orderKeysSql}) >= 0`, bindings: lockBindings(keys) };
}

/** Takes the locks against adoptions first. */
function areUnadopted(plain: readonly Settlement[]): RowSource {
  const named = plain.filter((settlement) => settlement.records.some(isWritten));
  const adopted =
    'select project_id, operation_id from adopted_among(?::text[], ?::text[], ?::text[], ?::text[], ?::text[])';
  return { sql: `(i.project_id, i.operation_id) not in (${adopted})`, bindings: rowBindings(namedColumns, named) };
}
