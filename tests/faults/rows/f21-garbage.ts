import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Customer } from '../../harness/customer';
import { limitedAs, peakBytesOf } from '../../memory/memory-limit';
import { check } from '../harness/checker';
import { mergeLedgers } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import type { World } from '../harness/world';
import { accountsOf, createPaths } from './support/customers';
import { executors, restart } from './support/parties';
import { readLedger } from '../harness/provider-effects';

const mebi = 1024 * 1024;
/** Most bytes of a reply that are read (tests/security/ITEMS.md, item 22). */
const replyBytesMax = 10_000_000;
/** What else the executors read for each such call, beside it: lookups, statements, messages, what the kernel holds already. */
const besideBytes = 2_000_000;

/** F21: what a provider answers is no provider's answer. It costs its bytes and its time, and decides nothing. */
export const f21: Row = {
  id: 'F21',
  title: 'provider answers garbage: HTML, 1 GB, a byte at a time, broken gzip, a redirect inwards',
  ciSize: { writes: 100, faults: 20 },
  fullSize: { writes: 1_000, faults: 200 },
  run: async (context) => {
    const { world, size } = context;
    const inside = await listenInside();
    const kinds = garbage(inside.url);
    await Promise.all(executors.map((party) => restart(world, party, limitedAs('executor').env)));
    const customers = await accountsOf(world, 2 * kinds.length);
    const readBefore = bytesRead(world);
    // A HubSpot and a Salesforce account for each kind: each of their creates meets it once.
    const times = size.writes / customers.length;
    const loads = customers.map(async (customer, at) => {
      const action = kinds[Math.floor(at / 2)];
      await customer.account.fault({ match: { method: 'POST', path: createPaths }, times, action });
      const load = { writes: times, concurrency: 2, mix: { single: 1 }, withoutEmailShare: 0 };
      return await sendLoad(context, { ...load, customers: [customer], name: `-${at}` });
    });
    const ledger = mergeLedgers(await Promise.all(loads));
    const verdict = await check(context, ledger, { boundMs: 900_000 });
    for (const { account } of customers) await account.clearFaults();
    const met = await countMet(context, customers, ledger.sinceSeq);
    const readMiB = Math.round((bytesRead(world) - readBefore) / mebi);
    const peaks = executors.map((party) => peakBytesOf(world.pid(party) ?? 0) ?? Infinity);
    const followed = inside.close();
    await Promise.all(executors.map((party) => restart(world, party)));
    const readMax = Math.round(((met['huge'] ?? 0) * (replyBytesMax + besideBytes) + 64 * mebi) / mebi);
    return {
      verdict,
      numbers: { ...met, readMiB, peakMiB: Math.round(Math.max(...peaks) / mebi), followed },
      misses: [
        ...kinds.flatMap(({ kind }) => ((met[kind] ?? 0) < size.faults ? [`only ${met[kind] ?? 0} of ${kind}`] : [])),
        ...(readMiB > readMax ? [`executors read ${readMiB} MiB, at most ${readMax} are what they may`] : []),
        ...(Math.max(...peaks) > limitedAs('executor').limitBytes
          ? ['an executor held more than the chart gives']
          : []),
        ...(followed > 0 ? [`${followed} connections to where a redirect pointed`] : []),
      ],
    };
  },
};

/** @param inside stands for 169.254.169.254, which hands out credentials in a cloud: no test may ask that one */
function garbage(inside: string) {
  return [
    { kind: 'commit-then-status', status: 200, body: '<html>Welcome</html>' },
    { kind: 'huge' },
    { kind: 'drip', delayMs: 50 },
    { kind: 'broken-encoding' },
    { kind: 'redirect', location: `${inside}/latest/meta-data/`, status: 307 },
  ] as const;
}

/** Counts who connects. */
async function listenInside(): Promise<{ readonly url: string; close(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      return connections;
    },
  };
}

/** How often each kind was met. */
async function countMet({ world }: RowContext, customers: readonly Customer[], sinceSeq: number) {
  const calls = await Promise.all(customers.map(({ account }) => readLedger(world, account, sinceSeq)));
  const met: Record<string, number> = {};
  for (const { fault } of calls.flat()) if (fault !== undefined) met[fault] = (met[fault] ?? 0) + 1;
  return met;
}

/** Bytes that both executors read so far, of files and of connections. Source: proc_pid_io(5), `rchar`. */
function bytesRead(world: World): number {
  const counts = executors.map((party) =>
    Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${world.pid(party)}/io`, 'utf8'))?.[1]),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
