import { globSync } from 'node:fs';
import { join } from 'node:path';
import { alone, begunFirst, fullOnly } from '../tiers';
import SeededOrder = require('./seeded-order');

const root = join(__dirname, '..', '..');
const suites = globSync('{libs,services,deploy,tests}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });

// A name that nothing has leaves its suite to `npm test`, or out of both tiers.
it.each([...fullOnly, ...alone, ...begunFirst])('%s names a suite', (part) => {
  expect(suites.some((path) => path.startsWith(part))).toBe(true);
});

describe('the order of the suites', () => {
  const orderOf = (seed: number, paths = suites) =>
    new SeededOrder({ globalConfig: { seed } }).sort(paths.map((path) => ({ path }))).map(({ path }) => path);

  it('is that of its seed, and another for another', () => {
    expect(orderOf(7, suites.toReversed())).toEqual(orderOf(7));
    expect(orderOf(8)).not.toEqual(orderOf(7));
    expect(orderOf(8).toSorted()).toEqual(suites.toSorted());
  });

  it('begins with what takes long', () => {
    const isLong = (path: string) => begunFirst.some((part) => path.includes(part));
    const first = orderOf(7).slice(0, suites.filter(isLong).length);
    expect(first.every(isLong)).toBe(true);
  });
});
