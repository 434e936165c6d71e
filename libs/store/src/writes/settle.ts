import { DefectError, type SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { nowhere, type StoreFailpoints } from '../failpoints';
import { callId } from './write-rows';
import { guard } from '../guard';
import { settleTogether } from './settle-calls';
import { settleWhole } from './settle-whole';
import type { Settled, Settlement, SettlingAnswer } from './settlement';

/**
 * Settles calls: those that are all of their operation in one statement, then the others in one transaction. A call that
 * one row makes impossible is left out of the answer; its neighbours are settled. A failure of the transaction is the answer for the
 * calls in it.
 * @throws SluiceError when nothing was settled
 */
export async function settle(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
  failpoints: StoreFailpoints = nowhere,
): Promise<Map<string, SettlingAnswer>> {
  const whole = await orNothing(guard(() => settleWhole(database, settlements)));
  const others = settlements.filter((settlement) => !whole.has(callId(settlement)));
  if (others.length === 0) return whole;
  if (whole.size > 0) await failpoints.hit('st.after_whole');
  const rest = settleRowByRow(database, others, timeScale);
  if (whole.size === 0) return await rest;
  const answers = await orNothing(rest).catch((reason: SluiceError) => answerAll(others, reason));
  return new Map([...whole, ...answers]);
}

function answerAll(settlements: readonly Settlement[], reason: SluiceError): Map<string, SettlingAnswer> {
  return new Map(settlements.map((settlement) => [callId(settlement), reason]));
}

async function settleRowByRow(
  database: Knex,
  settlements: readonly Settlement[],
  timeScale: number,
): Promise<Map<string, Settled>> {
  try {
    return await guard(() => settleTogether(database, settlements, timeScale));
  } catch (error) {
    if (settlements.length === 1 || !(error instanceof DefectError)) throw error;
    const settled = new Map<string, Settled>();
    // Offered again, behind their fences: only what cannot be stored at all is left out.
    for (const settlement of settlements) {
      for (const [id, each] of await orNothing(settleRowByRow(database, [settlement], timeScale))) {
        settled.set(id, each);
      }
    }
    return settled;
  }
}

/** A statement that the database refuses for one of its rows has changed nothing. */
async function orNothing(settling: Promise<Map<string, Settled>>): Promise<Map<string, Settled>> {
  return await settling.catch((reason: unknown) => {
    if (!(reason instanceof DefectError)) throw reason;
    return new Map<string, Settled>();
  });
}
