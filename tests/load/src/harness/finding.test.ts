import { isMet, ratioFinding } from './finding';

it.each([
  [1, { atLeast: 1 }, true],
  [0.999, { atLeast: 1 }, false],
  [10.5, { atMost: 10.5 }, true],
  [10.6, { atMost: 10.5 }, false],
  [NaN, { atLeast: 1 }, false],
  [NaN, { atMost: 1 }, false],
  [1, undefined, undefined],
])('%d against %j: met is %s', (judged, target, expected) => {
  expect(isMet({ judged, target })).toBe(expected);
});

it('judges a ratio by ours over the baseline', () => {
  const finding = ratioFinding({
    what: 'w',
    unit: '/s',
    ours: 30,
    against: 'a',
    baseline: 20,
    target: { atLeast: 1 },
  });
  expect(finding).toMatchObject({ judged: 1.5, judgedUnit: '×' });
});
