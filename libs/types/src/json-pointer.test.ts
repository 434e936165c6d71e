import { pointerSteps } from './json-pointer';

describe('pointerSteps', () => {
  it.each([
    ['/deletionSettings', ['deletionSettings']],
    ['/selectedFields/phone', ['selectedFields', 'phone']],
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    // RFC 6901, section 4: first ~1, then ~0, so that ~01 is a tilde and a one.
    ['/~01', ['~1']],
    ['/fieldFilters/0', ['fieldFilters', '0']],
    ['/a b', ['a b']],
  ])('%s', (pointer, steps) => {
    expect(pointerSteps(pointer)).toEqual(steps);
  });

  it.each([
    '',
    'deletionSettings',
    'a/b',
    '/',
    '/a/',
    '//a',
    '/a~',
    '/a~2',
    '/a\0',
    '/__proto__/x',
    '/a/constructor',
    '/prototype',
  ])('refuses %j', (pointer) => {
    expect(pointerSteps(pointer)).toBeUndefined();
  });
});
