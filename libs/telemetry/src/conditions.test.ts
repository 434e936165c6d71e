import { createConditions, type ConditionRule } from './conditions';
import type { Logger } from './logger';

const rule: ConditionRule = { begins: 'group.failing', ends: 'group.recovered', badMin: 5, quietMs: 60_000 };
const acme = { projectId: 'p1', groupRef: 'acme' };
const reset = { reason: 'ECONNRESET', facts: { class: 'unavailable' } };

function start(more: Partial<ConditionRule> = {}, charactersMax?: number) {
  let nowMs = 0;
  const lines: Record<string, unknown>[] = [];
  const logger = {
    warn: (fields: object, event: string) => void lines.push({ event, ...fields }),
  } as unknown as Logger;
  const conditions = createConditions({
    logger,
    now: () => nowMs,
    ...(charactersMax === undefined ? {} : { charactersMax }),
  });
  const condition = conditions({ ...rule, ...more });
  const pass = (ms: number) => {
    nowMs += ms;
    jest.advanceTimersByTime(ms);
  };
  const many = (times: number, observe: () => void) => Array.from({ length: times }).forEach(observe);
  return {
    lines,
    pass,
    bad: (times: number, subject = acme, observation: typeof reset & { lastsMs?: number } = reset) =>
      many(times, () => condition.bad(subject, observation)),
    good: (times: number, subject = acme) => many(times, () => condition.good(subject)),
    events: () => lines.map(({ event }) => event),
  };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('is one line when it begins and one when it ends, with whom, why, how often and since when', () => {
  const { bad, good, pass, lines } = start();
  bad(4);
  expect(lines).toEqual([]);
  bad(1);
  const since = expect.stringMatching(/^\d{4}-.*Z$/);
  const fields = { ...acme, reason: 'ECONNRESET', class: 'unavailable', since };
  expect(lines).toEqual([{ event: 'group.failing', ...fields, count: 5 }]);
  bad(1_000);
  pass(30_000);
  good(18);
  expect(lines).toHaveLength(1);
  good(1);
  expect(lines.slice(1)).toEqual([
    { event: 'group.recovered', ...fields, count: 1_005, seconds: 30, ended: 'observed' },
  ]);
  good(1_000);
  expect(lines).toHaveLength(2);
});

it('shows the last reason when it ends', () => {
  const { bad, good, lines } = start();
  bad(5);
  bad(1, acme, { reason: 'answered 503', facts: { class: 'unavailable' } });
  good(19);
  expect(lines.map(({ reason }) => reason)).toEqual(['ECONNRESET', 'answered 503']);
});

it('keeps subjects apart', () => {
  const { bad, lines } = start();
  const beta = { projectId: 'p1', groupRef: 'beta' };
  bad(4);
  bad(5, beta);
  expect(lines).toMatchObject([{ groupRef: 'beta', count: 5 }]);
});

// Neither well nor broken: a third of the calls fail, for hours.
it('does not begin while most is good, and once begun ends only when nearly all is', () => {
  const { bad, good, events } = start();
  const mixed = () => {
    for (let n = 0; n < 300; n += 1) {
      good(2);
      bad(1);
    }
  };
  good(20);
  mixed();
  expect(events()).toEqual([]);
  bad(20);
  mixed();
  expect(events()).toEqual(['group.failing']);
});

it('ends when nothing bad was observed for a while, without anything good', () => {
  const { bad, pass, lines } = start();
  bad(5);
  pass(59_000);
  bad(1);
  pass(59_000);
  expect(lines).toHaveLength(1);
  pass(10_000);
  expect(lines).toMatchObject([{}, { event: 'group.recovered', count: 6, ended: 'quiet' }]);
  pass(600_000);
  expect(lines).toHaveLength(2);
  expect(jest.getTimerCount()).toBe(0);
});

it('does not end before the time that it is known to last', () => {
  const { bad, pass, events } = start({ badMin: 1 });
  bad(1, acme, { ...reset, lastsMs: 900_000 });
  pass(950_000);
  expect(events()).toEqual(['group.failing']);
  pass(20_000);
  expect(events()).toEqual(['group.failing', 'group.recovered']);
});

it('begins again after an end', () => {
  const { bad, good, events } = start();
  bad(5);
  good(19);
  bad(5);
  expect(events()).toEqual(['group.failing', 'group.recovered', 'group.failing']);
});

it('forgets the oldest when there are too many, and says the end of what it began', () => {
  const { bad, lines } = start({}, 2_000);
  bad(5);
  for (let n = 0; n < 100; n += 1) bad(1, { projectId: 'p1', groupRef: `other-${n}` });
  expect(lines).toMatchObject([
    { event: 'group.failing' },
    { event: 'group.recovered', groupRef: 'acme', ended: 'forgotten' },
  ]);
});
