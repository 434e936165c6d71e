import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@sluice/types';
import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { newLedger, type ClientLedger, type SentRecord } from '../harness/client-ledger';
import { latestSeq } from '../harness/load';
import { slower, type Row, type RowContext } from '../harness/row';
import type { Party } from '../harness/world';
import { sendWrite } from '../harness/send-write';
import { executors, gateways, restart } from './support/parties';

/**
 * An hour of the specification lasts three seconds at the gateway that takes these writes. A longer outage costs twice its time, because the pause between
 * two tries grows with it.
 */
const timeScale = 1_200;
const hourMs = 3_600_000 / timeScale;
const downHours = 3;
/** A last try is made a second before the deadline (libs/writes, `nextDelayMs`); none gives up earlier, whatever the machine. */
const earlyMs = 1_500;
/** What a deadline is missed by where the machine is quick: a sweep over overdue records (5 s) and one over ready lanes (2 s), for a last try that nobody woke. */
const intervalMs = 7_000;
/** Longest wait for the end of what may wait an hour. */
const endsMs = 180_000;

/** Nobody answers for three hours, and until what may wait one has failed, not before its hour; what may wait 48 hours is written afterwards. */
export const f20: Row = {
  id: 'F20',
  title: 'provider down 100 % for 3 scaled hours, deadlines 1 h / 48 h',
  ciSize: { writes: 100, faults: 1 },
  fullSize: { writes: 2_000, faults: 1 },
  run: async (context) => {
    const { world, size } = context;
    const [gateway] = gateways as readonly [Party];
    await restart(world, gateway, { SLUICE_TIME_SCALE: String(timeScale) });
    for (const party of executors) world.link(party, 'provider').cut();
    const [short, long] = [newLedger(await latestSeq(world)), newLedger(await latestSeq(world))];
    for (let sent = 0; sent < size.writes; sent += 10) {
      const tens = Array.from({ length: 10 }, (_, at) => sent + at);
      await Promise.all(tens.map((at) => sendOne(context, at % 2 === 0 ? short : long, at)));
    }
    const [ended] = await Promise.all([endOf(short), sleep(downHours * hourMs)]);
    const misses = await countEnded(long);
    await Promise.all(executors.map((party) => world.link(party, 'provider').mend()));
    const verdict = await check(context, long);
    await restart(world, gateway);
    const judged = judgeShort(ended);
    return { verdict, ...judged, misses: [...judged.misses, ...misses] };
  },
};

/** The pair of writes 0 and 1 goes to HubSpot, 2 and 3 to Salesforce, and so on; the first of a pair may wait an hour. */
async function sendOne({ world, run }: RowContext, ledger: ClientLedger, at: number): Promise<void> {
  const customer = world.customers[at % 4 < 2 ? 0 : 1] satisfies Customer;
  const deadlineHours = at % 2 === 0 ? 1 : 48;
  const write = { customer, way: 'single', markers: [`${run}-${at}`], deadlineHours } as const;
  await sendWrite(ledger, write, { writeUrls: [world.writeUrls[0]] });
}

/** How each ends while the provider is away; one that does not is reported as it stands. */
async function endOf({ records }: ClientLedger): Promise<readonly Operation[]> {
  const end = async ({ customer, operationId = '' }: SentRecord): Promise<Operation> =>
    await customer.ended(operationId, endsMs).catch(() => customer.operation(operationId));
  return await Promise.all(records.map(end));
}

/** None of what may wait 48 hours gives up with it. */
async function countEnded({ records }: ClientLedger): Promise<string[]> {
  const all = await Promise.all(records.map(({ customer, operationId = '' }) => customer.operation(operationId)));
  const ended = all.filter(({ status }) => status !== 'in_progress').length;
  return ended > 0 ? [`${ended} writes with a deadline of 48 hours ended while the provider was away`] : [];
}

/** Each fails at its deadline, and was tried before it ended. */
function judgeShort(ended: readonly Operation[]) {
  const misses: string[] = [];
  const other = ended.filter(({ status }) => status !== 'failure').length;
  if (other > 0) misses.push(`${other} writes with a deadline of one hour did not fail`);
  const untried = ended.filter(({ metadata }) => (metadata?.retry?.attempts ?? 0) < 1).length;
  if (untried > 0) misses.push(`${untried} writes were not tried`);
  const lateMs = ended.map(
    ({ createTime = '', updateTime = '' }) => Date.parse(updateTime) - Date.parse(createTime) - hourMs,
  );
  const early = lateMs.filter((late) => late < -earlyMs).length;
  if (early > 0) misses.push(`${early} writes failed more than ${earlyMs} ms before their deadline`);
  const [earliestMs, latestMs] = [Math.round(Math.min(...lateMs)), Math.round(Math.max(...lateMs))];
  return { numbers: { earliestMs, latestMs }, misses, slow: slower({ latestMs }, intervalMs) };
}
