import { childTraceparent, readTraceparent, toTraceparent } from './step';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${traceId}-00f067aa0ba902b7-00`;
const invalid = [
  undefined,
  '',
  'nonsense',
  `ff${parent.slice(2)}`,
  `${parent}-more`,
  parent.toUpperCase(),
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  // Node joins repeated headers with a comma.
  `${parent}, ${parent}`,
  `${parent.slice(0, -2)}01,`,
  `${parent}${'0'.repeat(15_000)}`,
];

describe('readTraceparent', () => {
  it.each([
    ['00', false],
    ['01', true],
    ['03', true],
    ['02', false],
  ])('flags %s: sampled %p', (flags, isSampled) => {
    const context = { traceId, spanId: '00f067aa0ba902b7', isSampled };
    expect(readTraceparent(` 00-${traceId}-00f067aa0ba902b7-${flags} `)).toEqual(context);
    expect(readTraceparent(toTraceparent(context))).toEqual(context);
  });

  it.each(invalid)('says nothing of %#', (value) => expect(readTraceparent(value)).toBeUndefined());
});

describe('childTraceparent', () => {
  it.each(['00', '01'])('keeps trace id and flag %s and takes a new span id', (flag) => {
    const child = childTraceparent(`${parent.slice(0, -2)}${flag}`);
    expect(child).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-${flag}$`));
  });

  it('reads a later version by its first four fields', () => {
    expect(childTraceparent(`cc${parent.slice(2)}-what-ever`)).toContain(traceId);
  });

  it('starts a new trace for what says nothing, each time another one, which nobody keeps', () => {
    const form = /^00-(?!4bf92f)[0-9a-f]{32}-[0-9a-f]{16}-00$/;
    for (const nothing of [undefined, parent.toUpperCase()]) expect(childTraceparent(nothing)).toMatch(form);
    expect(childTraceparent(undefined)).not.toBe(childTraceparent(undefined));
  });
});
