import { moreDetailed } from './results';

const ito = { lastname: 'Ito', firstname: 'Ana' };

test.each<[string, object, boolean]>([
  ['with one value more', { lastname: 'Ito', firstname: 'Ana', city: 'Oslo' }, true],
  ['spelled in another case', { LastName: 'Ito', FirstName: 'Ana', City: 'Oslo' }, true],
  ['with the same names', { lastname: 'Ek', firstname: 'Bo' }, false],
  ['with an empty value more', { ...ito, city: '', phone: null }, false],
  ['that lacks a name', { lastname: 'Ito', city: 'Oslo', phone: '1' }, false],
])('a create %s', (_, other, isMore) => {
  expect(moreDetailed({ ...ito, state: '' }, [{ ...other }])).toHaveLength(isMore ? 1 : 0);
});
