import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { ratioFinding } from '../harness/finding';
import { multiplyCustomers } from '../harness/multiply-customers';
import { startSystem } from '../harness/system';
import { acceptLoad, ourRate } from './accept';

export const p12: Row = {
  id: 'P12',
  goal: 'durable accepted writes/s with 100,000 installations, against 100',
  measure: async (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (small) => {
      // Its own even in a quick run: thousands of customers are in nobody else's way.
      const options = { services: ['write-gateway'] as const, customers: 1 };
      const large = await startSystem(bench.addresses, bench.provider, options);
      try {
        const customers = bench.isQuick ? 500 : 100_000;
        bench.say(`making ${customers.toLocaleString('en-US')} installations`);
        await multiplyCustomers(large, customers);
        const sides = [
          ourRate(bench, 'many installations', large, { ...acceptLoad(large), groups: customers }),
          ourRate(bench, 'few', small),
        ];
        const [many, few] = await alternate(sides, pace(bench).rounds, bench.say);
        const finding = ratioFinding({
          what: `durable accepted writes, ${customers.toLocaleString('en-US')} installations in turns`,
          unit: '/s',
          ours: many?.median ?? NaN,
          against: `${small.project.customers} installations`,
          baseline: few?.median ?? NaN,
          target: { atLeast: 0.9 },
          rounds: { ours: many?.figures ?? [], baseline: few?.figures ?? [] },
        });
        return { findings: [finding], notes: [] };
      } finally {
        await large.stop();
      }
    }),
};
