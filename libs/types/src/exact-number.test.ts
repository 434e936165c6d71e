import { isExactNumber } from './scan-json';

describe('isExactNumber', () => {
  it.each([
    '0',
    '-0',
    '-1.50',
    '1E+2',
    '100000000000000000000',
    '9007199254740992',
    '0.30000000000000004',
    '1.7976931348623157e308',
    '5e-324',
    '0e999999',
    '1.000000000000000000000000',
    '0000.1'.slice(3),
  ])('carries %s', (literal) => expect(isExactNumber(literal)).toBe(true));

  it.each([
    '9007199254740993',
    '-12345678901234567890',
    '3.14159265358979323846',
    '0.1000000000000000055511151231257827',
    '1e309',
    '1e-400',
    '123456789012345678e-3',
  ])('does not carry %s', (literal) => expect(isExactNumber(literal)).toBe(false));

  it('agrees with what JavaScript prints for any double', () => {
    const refused: number[] = [];
    const bytes = new DataView(new ArrayBuffer(8));
    for (let n = 0; n < 20_000; n += 1) {
      bytes.setUint32(0, Math.floor(Math.random() * 2 ** 32));
      bytes.setUint32(4, Math.floor(Math.random() * 2 ** 32));
      const value = bytes.getFloat64(0);
      if (Number.isFinite(value) && !isExactNumber(String(value))) refused.push(value);
    }
    expect(refused).toEqual([]);
  });

  it('takes linear time for a literal of a million digits', () => {
    const started = process.cpuUsage();
    expect(isExactNumber(`1${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`)).toBe(false);
    expect(isExactNumber(`0.${'3'.repeat(1_000_000)}`)).toBe(false);
    // Of the processor, which a busy machine does not lengthen. In square time it would be hours.
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});
