import type { Row } from '../harness/bench';
import { compareAccept } from './accept';

export const p03: Row = {
  id: 'P3',
  goal: 'durable accepted writes/s, against Express + BullMQ add',
  measure: async (bench) => {
    const { findings } = await compareAccept(bench, {
      program: 'bullmq-add',
      argument: bench.addresses,
      against: 'Express 5 + BullMQ add (Redis without AOF: not durable)',
      target: { atLeast: 1 },
      clear: (url) => fetch(url, { method: 'DELETE' }),
    });
    return { findings, notes: ['P3: the queue is emptied before each round, so that Redis does not fill the memory.'] };
  },
};
