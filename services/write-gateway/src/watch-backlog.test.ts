import { silentLogger } from '@sluice/telemetry';
import { createBacklogWatch } from './watch-backlog';

function start() {
  let nowMs = 0;
  const lines: Record<string, unknown>[] = [];
  const logger = { ...silentLogger, warn: (fields: object, event: string) => void lines.push({ event, ...fields }) };
  const watch = createBacklogWatch(logger, () => nowMs);
  /** Counts every two seconds for a minute, with so many waiting at its end. */
  const minutes = (...waiting: number[]) => {
    for (const writes of waiting) {
      for (let n = 0; n < 30; n += 1) {
        nowMs += 2_000;
        watch.counted('p1', 'acme', { writes, bytes: writes * 10 });
      }
    }
  };
  return { lines, minutes, forget: () => watch.forget('p1', 'acme') };
}

const acme = { projectId: 'p1', groupRef: 'acme' };

it('is one line when it grows, and one when half of the most has gone', () => {
  const { lines, minutes } = start();
  minutes(900, 2_000, 3_000, 4_000);
  expect(lines).toEqual([]);
  minutes(5_000, 6_000, 9_000, 12_000, 7_000);
  const since = expect.any(String);
  const reason = 'more is accepted than written, for 3 minutes';
  expect(lines).toEqual([{ event: 'backlog.growing', ...acme, reason, count: 5_000, bytes: 50_000, since }]);
  minutes(6_000, 3_000, 0, 0);
  expect(lines.slice(1)).toEqual([
    {
      event: 'backlog.shrinking',
      ...acme,
      count: 6_000,
      bytes: 60_000,
      peak: 12_000,
      since,
      seconds: expect.any(Number),
    },
  ]);
});

it.each([
  ['small, however it rises', [100, 300, 500, 700, 900, 999]],
  ['large and steady', [50_000, 50_000, 50_000, 50_000, 50_000, 50_000]],
  ['large and falls now and then', [2_000, 3_000, 4_000, 3_900, 4_100, 4_300, 4_000]],
])('is none while it is %s', (_case, waiting) => {
  const { lines, minutes } = start();
  minutes(...waiting);
  expect(lines).toEqual([]);
});

it('ends with a line when the group writes no more, and may begin again', () => {
  const { lines, minutes, forget } = start();
  forget();
  minutes(2_000, 3_000, 4_000, 5_000);
  forget();
  forget();
  minutes(2_000, 3_000, 4_000, 5_000);
  expect(lines.map(({ event }) => event)).toEqual(['backlog.growing', 'backlog.shrinking', 'backlog.growing']);
});
