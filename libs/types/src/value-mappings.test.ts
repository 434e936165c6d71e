import { toDeliveredValue, toProviderValue, valueMappings } from './field-mappings';

const selectedValueMappings = { stage: { won: 'closedwon', also: 'closedwon', empty: '' }, Stage: { won: 'W' } };
const mappings = valueMappings({ selectedValueMappings }, 'exact');
const anyCase = valueMappings({ selectedValueMappings }, 'case-insensitive');
const none = [valueMappings({}, 'exact'), valueMappings(undefined, 'exact')];

describe('toProviderValue', () => {
  it.each([
    ['won', 'closedwon'],
    ['empty', ''],
    ['toString', 'toString'],
    [7, 7],
    [null, null],
  ])('%p becomes %p', (value, expected) => expect(toProviderValue(mappings, 'stage', value)).toBe(expected));

  it('leaves fields without mappings alone', () => {
    expect(toProviderValue(mappings, 'other', 'won')).toBe('won');
    expect(toProviderValue(mappings, 'constructor', 'name')).toBe('name');
    for (const empty of none) expect(toProviderValue(empty, 'stage', 'won')).toBe('won');
  });
});

describe('toDeliveredValue', () => {
  it.each([
    ['closedwon', 'won'],
    ['', 'empty'],
    ['closedlost', 'closedlost'],
    [null, null],
  ])('%p becomes %p', (value, expected) => expect(toDeliveredValue(mappings, 'stage', value)).toBe(expected));

  it('leaves fields without mappings alone', () => {
    expect(toDeliveredValue(mappings, 'other', 'closedwon')).toBe('closedwon');
    for (const empty of none) expect(toDeliveredValue(empty, 'stage', 'closedwon')).toBe('closedwon');
  });
});

// The reviewer's case: a filter on `title` missed the mapping of `Title`, which Salesforce takes for one field.
describe('names of fields', () => {
  it('compare exactly, or in any case, as the provider does', () => {
    expect(toProviderValue(mappings, 'STAGE', 'won')).toBe('won');
    expect(toProviderValue(mappings, 'Stage', 'won')).toBe('W');
    expect(toProviderValue(anyCase, 'STAGE', 'won')).toBe('closedwon');
    expect(toDeliveredValue(anyCase, 'STAGE', 'closedwon')).toBe('won');
  });

  it('of two spellings in the config the first holds; the case of values always matters', () => {
    expect(toProviderValue(anyCase, 'Stage', 'won')).toBe('closedwon');
    expect(toProviderValue(anyCase, 'stage', 'WON')).toBe('WON');
  });
});
