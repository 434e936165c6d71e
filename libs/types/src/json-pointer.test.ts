import { pointerSteps } from './json-patch';

describe('pointerSteps', () => {
  it.each([
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    // RFC 6901, section 4: first ~1, then ~0, so that ~01 is a tilde and a one.
    ['/~01', ['~1']],
    ['/a b/0', ['a b', '0']],
  ])('%s', (pointer, steps) => {
    expect(pointerSteps(pointer)).toEqual(steps);
  });

  it.each(['', 'a/b', '/', '/a/', '//a', '/a~', '/a~2', '/a\0', '/__proto__/x', '/a/constructor', '/prototype'])(
    'refuses %j',
    (pointer) => {
      expect(pointerSteps(pointer)).toBeUndefined();
    },
  );
});
