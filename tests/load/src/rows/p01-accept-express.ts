import type { Row } from '../harness/bench';
import { compareAccept } from './accept';

const note =
  'P1 to P4: one process each, 1 KB bodies, keep-alive, the generator on the same cores. Ours: API key, validation, plan, commit of three rows; no executor runs. CPU: gateway, management, Postgres, Redis and Kafka, until the announcements are out.';

export const p01: Row = {
  id: 'P1',
  goal: 'durable accepted writes/s at 128 connections, against Express 5 that does nothing',
  measure: async (bench) => {
    const { findings } = await compareAccept(bench, {
      program: 'bare-express',
      argument: {},
      against: 'Express 5 with express.json(), does nothing',
      target: { atLeast: 0.85 },
      floor: '1.41×, a lean Express that commits the same three rows',
      cpuAtMost: 195,
    });
    return { findings, notes: [note] };
  },
};
