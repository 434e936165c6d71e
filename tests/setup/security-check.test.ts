import { checkItems, itemsOf, rowsOf } from './security-check';

const items = [
  { id: 4, files: ['tests/security/tenancy.test.ts', 'tests/security/canary.test.ts'] },
  { id: 9, files: ['services/search/test/search-records.test.ts'] },
];
const ran = (path: string, ...ids: number[]) => ({ path, items: ids });

it('reads the marks of a title and the rows of a page', () => {
  expect(itemsOf('[sec-1] [sec-12] another project > 404')).toEqual([1, 12]);
  expect(rowsOf('| item | control | tested in |\n| 4 | a `b` | `tests/a.test.ts`, `libs/b.test.ts` |\n')).toEqual([
    { id: 4, files: ['tests/a.test.ts', 'libs/b.test.ts'] },
  ]);
});

it('a tier answers for its own suites', () => {
  const passed = [ran('tests/security/tenancy.test.ts', 4), ran('services/search/test/search-records.test.ts', 9)];
  expect(checkItems({ items, tier: 'guard', passed })).toEqual([]);
  expect(checkItems({ items, tier: 'full', passed })).toEqual([
    '4: no test with the mark [sec-4] passed in tests/security/canary.test.ts',
  ]);
});

it('a test that did not pass, one in another suite and a mark without a row are missed', () => {
  const passed = [ran('tests/security/tenancy.test.ts', 9, 77)];
  expect(checkItems({ items, tier: 'guard', passed })).toEqual([
    '4: no test with the mark [sec-4] passed in tests/security/tenancy.test.ts',
    '9: no test with the mark [sec-9] passed in services/search/test/search-records.test.ts',
    '77: stands in a title of tests/security/tenancy.test.ts and not in ITEMS.md',
  ]);
});
