import { connector } from '../test/builders';
import { takeLaneQuota, type LaneGate } from './lane-quotas';

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

describe('takeLaneQuota', () => {
  it('takes quota as a call that somebody waits for', async () => {
    const { laneGate, taken } = gate(0, true);
    expect(await takeLaneQuota(laneGate, lane, connector())).toMatchObject({ granted: true });
    expect(taken).toEqual(['l1 synchronous']);
  });

  it.each([
    {
      what: 'a spent quota of an account that is blocked, by what its provider said',
      of: gate(5_000, false),
      error: { detail: expect.stringMatching(/blocked after/), retryAfterMs: 5_000 },
    },
    {
      what: 'a spent quota',
      of: gate(0, false),
      error: { detail: expect.stringMatching(/quota is used up/), retryAfterMs: 700 },
    },
  ])('refuses $what', async ({ of, error }) => {
    await expect(takeLaneQuota(of.laneGate, lane, connector())).rejects.toMatchObject({ class: 'quota', ...error });
  });
});
