import { connector } from '../test/builders';
import { assertLaneOpen, type LaneGate } from './lane-quotas';

const lane = { projectId: 'p1', laneId: 'l1' };

function gate(blockedMs: number, granted: boolean) {
  const taken: string[] = [];
  const laneGate: LaneGate = {
    store: { writes: { readLaneBlock: ({ laneId }) => Promise.resolve(laneId === 'l1' ? blockedMs : 0) } },
    quotas: {
      take: ({ laneId }, _connector, priority) => {
        taken.push(`${laneId} ${priority}`);
        return Promise.resolve({ granted, retryAfterMs: granted ? 0 : 700 });
      },
    },
  };
  return { laneGate, taken };
}

describe('assertLaneOpen', () => {
  it('takes quota as a call that somebody waits for', async () => {
    const { laneGate, taken } = gate(0, true);
    await assertLaneOpen(laneGate, lane, connector());
    expect(taken).toEqual(['l1 synchronous']);
  });

  it.each([
    {
      what: 'a blocked account, of whose quota nothing is taken',
      of: gate(5_000, true),
      error: { detail: expect.stringMatching(/blocked after/), retryAfterMs: 5_000 },
      takes: 0,
    },
    {
      what: 'a spent quota',
      of: gate(0, false),
      error: { detail: expect.stringMatching(/quota is used up/), retryAfterMs: 700 },
      takes: 1,
    },
  ])('refuses $what', async ({ of, error, takes }) => {
    await expect(assertLaneOpen(of.laneGate, lane, connector())).rejects.toMatchObject({ class: 'quota', ...error });
    expect(of.taken).toHaveLength(takes);
  });
});
