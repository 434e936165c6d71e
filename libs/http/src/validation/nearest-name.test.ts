import { nearestName } from './nearest-name';

const known = ['groupRef', 'type', 'mode', 'record', 'batch', 'autoBatchPolicy'];

describe('nearestName', () => {
  it.each([
    ['groupref', 'groupRef'],
    ['group_ref', 'groupRef'],
    ['mod', 'mode'],
    ['modes', 'mode'],
    ['recrod', 'record'],
    ['autoBatchPolcy', 'autoBatchPolicy'],
  ])('%s is meant as %s', (name, expected) => expect(nearestName(name, known)).toBe(expected));

  it.each(['email', 'x', '', 'completelyDifferent'])('%j is near nothing', (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });
});
