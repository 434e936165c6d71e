import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { comparedFinding } from '../harness/finding';
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
        ] as const;
        const compared = await alternate(sides, pace(bench).rounds, bench.say);
        const about = {
          what: `durable accepted writes, ${customers.toLocaleString('en-US')} installations in turns`,
          unit: '/s',
          against: `${small.project.customers} installations`,
          target: { atLeast: 0.85 },
        };
        return { findings: [comparedFinding(about, ...compared)], notes: [] };
      } finally {
        await large.stop();
      }
    }),
};
