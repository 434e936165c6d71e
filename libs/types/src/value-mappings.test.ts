import { toDeliveredValue, toProviderValue } from './value-mappings';

const config = { selectedValueMappings: { stage: { won: 'closedwon', also: 'closedwon', empty: '' } } };

describe('toProviderValue', () => {
  it.each([
    ['won', 'closedwon'],
    ['empty', ''],
    ['lost', 'lost'],
    ['toString', 'toString'],
    [7, 7],
    [true, true],
    [null, null],
  ])('%p becomes %p', (value, expected) => expect(toProviderValue(config, 'stage', value)).toBe(expected));

  it('leaves fields without mappings alone', () => {
    expect(toProviderValue(config, 'other', 'won')).toBe('won');
    expect(toProviderValue(config, 'constructor', 'name')).toBe('name');
    expect(toProviderValue({}, 'stage', 'won')).toBe('won');
    expect(toProviderValue(undefined, 'stage', 'won')).toBe('won');
  });
});

describe('toDeliveredValue', () => {
  it.each([
    ['closedwon', 'won'],
    ['', 'empty'],
    ['closedlost', 'closedlost'],
    [null, null],
  ])('%p becomes %p', (value, expected) => expect(toDeliveredValue(config, 'stage', value)).toBe(expected));

  it('leaves fields without mappings alone', () => {
    expect(toDeliveredValue(config, 'other', 'closedwon')).toBe('closedwon');
    expect(toDeliveredValue(undefined, 'stage', 'closedwon')).toBe('closedwon');
  });
});
