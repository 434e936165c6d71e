import type { Row } from '../harness/bench';
import { withEmptyDatabase } from '../harness/empty-database';
import { compareAccept } from './accept';

export const p04: Row = {
  id: 'P4',
  goal: 'durable accepted writes/s, against Express + pg-boss send',
  measure: (bench) =>
    withEmptyDatabase((databaseUrl) =>
      compareAccept(bench, {
        program: 'pg-boss-send',
        argument: { ...bench.addresses, databaseUrl },
        against: 'Express 5 + pg-boss send',
        target: { atLeast: 5.5 },
      }),
    ),
};
