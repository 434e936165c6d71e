import { randomUUID } from 'node:crypto';
import type { Row } from '../harness/bench';
import { withEmptyDatabase } from '../harness/empty-database';
import { compareAccept } from './accept';

export const p02: Row = {
  id: 'P2',
  goal: 'durable accepted writes/s, against Express + knex + kafkajs per request',
  measure: (bench) =>
    withEmptyDatabase((databaseUrl) =>
      compareAccept(bench, {
        program: 'naive',
        argument: { ...bench.addresses, databaseUrl, topic: `bench-naive-${randomUUID()}`, isConsuming: false },
        against: 'Express 5 + knex insert + kafkajs send, each awaited',
        target: { atLeast: 3.5 },
      }),
    ),
};
