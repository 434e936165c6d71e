import { headersKeyOf, orderKeyOf } from './plan-calls';

describe('orderKeyOf', () => {
  it('is equal for writes to one record of one account, and differs with each part', () => {
    const key = orderKeyOf('l1', 'contacts', '7');
    expect(orderKeyOf('l1', 'contacts', '7')).toBe(key);
    const others = [
      orderKeyOf('l2', 'contacts', '7'),
      orderKeyOf('l1', 'deals', '7'),
      orderKeyOf('l1', 'contacts', '8'),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });

  it('gives none to a create, which is unordered', () => {
    expect(orderKeyOf('l1', 'contacts', undefined)).toBeUndefined();
  });
});

describe('headersKeyOf', () => {
  const trace = { key: 'X-Trace', value: 'a' };
  const assign = { key: 'Sforce-Auto-Assign', value: 'FALSE' };

  it('is empty without headers', () => {
    expect(headersKeyOf(undefined)).toBe('');
    expect(headersKeyOf([])).toBe('');
  });

  it('ignores order and the case of names', () => {
    const key = headersKeyOf([trace, assign]);
    expect(headersKeyOf([assign, trace])).toBe(key);
    expect(headersKeyOf([{ ...trace, key: 'x-trace' }, assign])).toBe(key);
  });

  it('differs with a value, its case, or another header', () => {
    const keys = [[trace], [{ ...trace, value: 'A' }], [{ ...trace, value: 'b' }], [trace, assign], [assign]];
    expect(new Set(keys.map(headersKeyOf)).size).toBe(keys.length);
  });

  it('shows no value: a header may carry a secret', () => {
    expect(headersKeyOf([{ key: 'x-token', value: 'canary' }])).not.toContain('canary');
  });
});
