import { nearestName, nearestNames } from './nearest-name';

const known = ['groupRef', 'type', 'mode', 'record', 'batch', 'autoBatchPolicy'];

describe('nearestName', () => {
  it.each([
    ['groupref', 'groupRef'],
    ['group_ref', 'groupRef'],
    ['mod', 'mode'],
    ['modes', 'mode'],
    ['recrod', 'record'],
    ['bacth', 'batch'],
    ['autoBatchPolcy', 'autoBatchPolicy'],
    ['autobachpolise', 'autoBatchPolicy'],
  ])('%s is meant as %s', (name, expected) => expect(nearestName(name, known)).toBe(expected));

  it.each(['email', 'x', 'me', '', 'completelyDifferent', 'autoMatchPolitics'])('%j is near nothing', (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });

  // A caller chooses how long a name is, and each costs as many steps as both have letters.
  it('compares long names by their beginning only', () => {
    const begun = 'n'.repeat(64);
    expect(nearestName(`${begun}${'a'.repeat(10)}`, [`${begun}${'b'.repeat(10)}`])).toBe(`${begun}${'b'.repeat(10)}`);
  });
});

it('nearestNames: the nearest first, however far they are', () => {
  expect(nearestNames('recrod', known, 2)).toEqual(['record', 'mode']);
  expect(nearestNames('zzz', [], 3)).toEqual([]);
});
