import { fieldSteps, jsonPathFault } from './field-names';

const form = "must be JSONPath in brackets, such as $['address']['city']";
const hostile = 'leads to a name that is not allowed';

describe('jsonPathFault', () => {
  it.each([
    ['email', undefined],
    ['$price', undefined],
    ["$['address']['city']", undefined],
    ["$['first name']['ö']", undefined],
    ['$["a"]', form],
    ["$['']", form],
    ["$['a'].b", form],
    ["$['a']['b']x", form],
    ["$['__proto__']['a']", hostile],
    ["$['a']['constructor']", hostile],
    ["$['a'][0]", form],
    ["$['a'][*]", form],
    ['$..a', form],
    ["$['a\\'b']", form],
    ["$['a\0']", hostile],
  ])('%s', (name, fault) => {
    expect(jsonPathFault(name)).toBe(fault);
  });

  it('takes no longer for a long name', () => {
    const started = process.cpuUsage();
    expect(jsonPathFault(`$${"['a']".repeat(100_000)}x`)).toBe(form);
    // Of the processor, which a busy machine does not lengthen. In square time it would be minutes.
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});

describe('fieldSteps', () => {
  it('gives the names that lead to a field', () => {
    expect(fieldSteps("$['address']['city']")).toEqual(['address', 'city']);
    expect(fieldSteps('email')).toEqual(['email']);
    expect(fieldSteps('$.a')).toEqual(['$.a']);
  });
});
