import { fieldDefaultValue } from './write-config';

describe('fieldDefaultValue', () => {
  it.each([
    [{ stringValue: '' }, ''],
    [{ integerValue: 0 }, 0],
    [{ booleanValue: false }, false],
    [{}, undefined],
  ])('%j', (settings, value) => {
    expect(fieldDefaultValue(settings)).toBe(value);
  });
});
