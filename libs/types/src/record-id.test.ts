import { recordIdOf } from './write-request';

describe('recordIdOf', () => {
  it.each([
    [{ id: '51' }, '51'],
    [{ id: 51 }, '51'],
    [{ id: 0 }, '0'],
    [{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
    [{ id: Number.MAX_SAFE_INTEGER + 1 }, undefined],
    [{ id: -1 }, undefined],
    [{ id: 1.5 }, undefined],
    [{ id: '' }, undefined],
    [{ id: 'a\0' }, undefined],
    [{ id: null }, undefined],
    [{ id: 'x'.repeat(255) }, 'x'.repeat(255)],
    [{ id: 'x'.repeat(256) }, undefined],
    [{}, undefined],
  ])('%j', (record, id) => {
    expect(recordIdOf(record)).toBe(id);
  });

  it('does not read the prototype', () => {
    expect(recordIdOf(Object.create({ id: '1' }) as Record<string, unknown>)).toBeUndefined();
  });
});
