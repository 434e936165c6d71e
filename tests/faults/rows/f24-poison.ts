import { join } from 'node:path';
import { until } from '@sluice/testkit';
import type { OperationRecord } from '@sluice/types';
import { check } from '../harness/checker';
import { newLedger, type ClientLedger } from '../harness/client-ledger';
import { latestSeq, sendLoad } from '../harness/load';
import { query } from '../harness/query';
import type { Row, RowContext } from '../harness/row';
import { sendWrite } from '../harness/send-write';
import type { World } from '../harness/world';
import { readLedger } from '../harness/provider-effects';
import { executors, restart, supervise } from './support/parties';

/**
 * After two crashes, which several poisons may share, a call runs alone, and the fourth, its second alone, takes it out. Source: ADR 23.
 */
const crashesMax = 4;

/** Records that kill whoever works on them, among others of the same account: they are taken out, and nothing else is. */
export const f24: Row = {
  id: 'F24',
  title: 'poison record that exits the executor',
  ciSize: { writes: 60, faults: 3 },
  fullSize: { writes: 2_000, faults: 30 },
  run: async (context) => {
    const { world, size, run } = context;
    const env = {
      NODE_OPTIONS: `--require ${join(__dirname, 'support', 'poison.js')}`,
      FAULT_POISON_READ: `${run}-poison-read`,
      FAULT_POISON_SEND: `${run}-poison-send`,
    };
    for (const party of executors) await restart(world, party, env);
    const supervisor = supervise(world, executors, env);
    const [poisoned, ledger] = await Promise.all([sendPoison(context), sendOthers(context)]);
    const misses = await waitForQuarantine(context, poisoned);
    const verdict = await check(context, ledger);
    await supervisor.end();
    for (const party of executors) await restart(world, party);
    const deaths = supervisor.deaths();
    misses.push(...(await judgeCrashes(world, poisoned)), ...(await sentPoison(context, poisoned)));
    // A process that is too slow to prolong its lease counts as a crash too, so only this many deaths are certain.
    if (deaths < size.faults) misses.push(`${deaths} deaths are too few for ${size.faults} poisons`);
    return { verdict, numbers: { deaths }, misses };
  },
};

/** Every third one is only met after the intent. */
async function sendPoison({ world, size, run }: RowContext): Promise<ClientLedger> {
  const ledger = newLedger(await latestSeq(world));
  for (let at = 0; at < size.faults; at += 1) {
    // A lookup at HubSpot names the record in its body and crashes on it as well; one at Salesforce does not.
    const customer = world.customers[at % 2 === 0 && at % 3 !== 2 ? 0 : 1];
    const markers = [`${run}-poison-${at % 3 === 2 ? 'send' : 'read'}-${at}`];
    await sendWrite(ledger, { customer, way: 'single', markers }, { writeUrls: world.writeUrls });
  }
  return ledger;
}

async function sendOthers(context: RowContext): Promise<ClientLedger> {
  const mix = { single: 6, auto: 3, update: 1 };
  return await sendLoad(context, { writes: context.size.writes, perSecond: 20, mix, name: '-other' });
}

async function waitForQuarantine({ isFull }: RowContext, { records }: ClientLedger): Promise<string[]> {
  const untilMs = performance.now() + (isFull ? 900_000 : 400_000);
  const misses: string[] = [];
  for (const { customer, operationId = '', marker } of records) {
    const outcome = async (): Promise<OperationRecord | undefined> => {
      const [record] = await customer.recordsOf(operationId);
      return record?.status === 'pending' ? undefined : record;
    };
    const end = await until(`${marker} is taken out`, outcome, Math.max(1_000, untilMs - performance.now())).catch(
      (error: Error) => error,
    );
    if (end instanceof Error) misses.push(end.message);
    else if (!/quarantined/i.test(end.error?.message ?? ''))
      misses.push(`${marker} ended ${end.status}: ${end.error?.message}`);
  }
  return misses;
}

/** Each was taken out for as many crashes as it takes, and not for fewer. */
async function judgeCrashes(world: World, { records }: ClientLedger): Promise<string[]> {
  const ids = records.flatMap(({ operationId }) => operationId ?? []);
  const sql = 'select crash_count as crashes from calls where operation_id = any(?)';
  const calls = await query<{ crashes: number }>(world, sql, [ids]);
  const few = calls.filter(({ crashes }) => crashes < crashesMax);
  return few.map(({ crashes }) => `a poison was taken out after ${crashes} crashes`);
}

/** What killed its reader was never sent. */
async function sentPoison({ world }: RowContext, { sinceSeq }: ClientLedger): Promise<string[]> {
  const calls = await Promise.all(world.customers.map(({ account }) => readLedger(world, account, sinceSeq)));
  const sent = calls.flat().filter(({ carried = [] }) => carried.some((marker) => marker.includes('-poison-')));
  return sent.length > 0 ? [`${sent.length} calls carried a poison`] : [];
}
