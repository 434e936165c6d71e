import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@sluice/types';
import type { Customer } from '../../harness/customer';
import { check } from '../harness/checker';
import { newLedger, type ClientLedger } from '../harness/client-ledger';
import { latestSeq } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import type { Party } from '../harness/world';
import { sendWrite } from '../harness/send-write';
import { executors, gateways, restart } from './support/parties';

/** An hour of the specification lasts five seconds at the gateway that takes these writes. */
const timeScale = 720;
const hourMs = 3_600_000 / timeScale;
const downHours = 3;
/** What a deadline may be missed by: a sweep over overdue records (5 s) and one over ready lanes (2 s), for a last try that nobody woke. */
const intervalMs = 7_000;

/** Nobody answers for three hours: what may wait 48 hours is written afterwards, what may wait one fails at its hour. */
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
    await sleep(downHours * hourMs);
    await Promise.all(executors.map((party) => world.link(party, 'provider').mend()));
    const verdict = await check(context, long, { boundMs: 90_000 });
    const ended = await Promise.all(
      short.records.map(({ customer, operationId = '' }) => customer.operation(operationId)),
    );
    await restart(world, gateway);
    return { verdict, ...judgeShort(ended) };
  },
};

/** The pair of writes 0 and 1 goes to HubSpot, 2 and 3 to Salesforce, and so on; the first of a pair may wait an hour. */
async function sendOne({ world, run }: RowContext, ledger: ClientLedger, at: number): Promise<void> {
  const customer = world.customers[at % 4 < 2 ? 0 : 1] satisfies Customer;
  const deadlineHours = at % 2 === 0 ? 1 : 48;
  const write = { customer, way: 'single', markers: [`${run}-${at}`], deadlineHours } as const;
  await sendWrite(ledger, write, { writeUrls: [world.writeUrls[0]] });
}

/** Each fails, at its deadline and not at another time. One that was never tried before it keeps its one try (design, 5.9). */
function judgeShort(ended: readonly Operation[]) {
  const tried = ended.filter(({ status, metadata }) => status === 'failure' || (metadata?.retry?.attempts ?? 0) > 1);
  const lateMs = tried.map(
    ({ createTime = '', updateTime = '' }) => Date.parse(updateTime) - Date.parse(createTime) - hourMs,
  );
  const misses: string[] = [];
  const other = tried.filter(({ status }) => status !== 'failure').length;
  if (other > 0) misses.push(`${other} writes with a deadline of one hour did not fail`);
  if (tried.length < ended.length / 2) misses.push('most writes were not tried within their hour');
  const off = lateMs.filter((late) => Math.abs(late) > intervalMs).length;
  if (off > 0) misses.push(`${off} writes failed more than ${intervalMs} ms from their deadline`);
  const [earliestMs, latestMs] = [Math.round(Math.min(...lateMs)), Math.round(Math.max(...lateMs))];
  return { numbers: { earliestMs, latestMs, triedLate: ended.length - tried.length }, misses };
}
