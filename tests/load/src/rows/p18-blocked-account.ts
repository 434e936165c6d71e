import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { accountOf } from '../harness/customers';
import { ratioFinding } from '../harness/finding';
import { asynchronous, writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Source: goal P18, with a minute of block instead of ten. */
const operations = 1_000;
const blockMs = 60_000;
const retryAfterSeconds = 10;
/** The account of the operations that back off on their own. */
const elsewhere = 'bench-per-operation';

export const p18: Row = {
  id: 'P18',
  goal: 'calls to an account that answers 429 for a minute, against each operation backing off on its own',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway', 'executor'] }, async (system) => {
      const naive = await startChild('baselines/per-operation-backoff', { providerUrl: bench.provider.url });
      try {
        await bench.provider.reset();
        const refusal = { status: 429, retryAfterSeconds };
        for (const account of [accountOf(0), elsewhere]) await bench.provider.behave(refusal, account);
        const [count, forMs] = bench.isQuick ? [20, 1_000] : [operations, blockMs];
        // Both at once: together they are a few hundred calls a second.
        const theirs = naive.ask({ operations: count, forMs, account: elsewhere });
        const load = { ...writeTarget(system), body: writeBody(asynchronous), connections: 16, count };
        await Promise.all([theirs, bench.load.run(load), sleep(forMs)]);
        const [ours, baseline] = [await callsOf(bench, accountOf(0)), await callsOf(bench, elsewhere)];
        bench.say(`${ours} calls, and ${baseline} without a common block`);
        const finding = ratioFinding({
          what: `calls to the blocked account in ${forMs / 1000} s, ${count} operations`,
          unit: 'calls',
          ours,
          against: 'each operation backs off on its own, 1 s doubled to 60 s, full jitter',
          baseline,
          target: { atMost: 0.01 },
        });
        const intervals = forMs / 1000 / retryAfterSeconds;
        const note = `P18: Retry-After is ${retryAfterSeconds} s, so ${intervals} intervals and ${(ours / intervals).toFixed(1)} calls in each.`;
        return { findings: [finding], notes: [note] };
      } finally {
        await bench.provider.reset();
        await naive.kill();
      }
    }),
};

async function callsOf({ provider }: Bench, account: string): Promise<number> {
  return (await provider.counts()).byAccount[account]?.calls ?? 0;
}
