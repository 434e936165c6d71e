import { newId } from './new-id';

describe('[sec-12] an id', () => {
  it('is a uuid v7: in the order of time, with 62 random bits behind it', () => {
    const ids = Array.from({ length: 2_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.toSorted()).toEqual(ids);
  });

  // Whoever has one must not get at the next by counting.
  it('does not follow from the one before', () => {
    const tails = Array.from({ length: 2_000 }, () => BigInt(`0x${newId().slice(-12)}`));
    const steps = tails.slice(1).map((tail, at) => tail - (tails[at] ?? 0n));
    expect(new Set(steps).size).toBeGreaterThan(steps.length - 5);
  });
});
