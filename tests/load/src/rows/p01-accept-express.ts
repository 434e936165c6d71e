import type { Row } from '../harness/bench';
import { compareAccept } from './accept';

export const p01: Row = {
  id: 'P1',
  goal: 'durable accepted writes/s at 128 connections, against Express 5 that does nothing',
  measure: async (bench) => {
    const against = 'Express 5 with express.json(), does nothing';
    const { findings } = await compareAccept(bench, {
      program: 'bare-express',
      argument: {},
      against,
      target: { atLeast: 1 },
    });
    const notes = [
      'P1 to P4: one process each, 1 KB bodies, keep-alive, the generator on the same cores. Ours: API key, validation, plan, commit of three rows; no executor runs.',
    ];
    return { findings, notes };
  },
};
