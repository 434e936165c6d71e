import type { ConfigContent } from '@sluice/types';
import { sizeIssues } from './installations/check-config';
import { readPage } from './pages';

const contentOf = (characters: number): ConfigContent => {
  const empty = JSON.stringify({ provider: '' }).length;
  return { provider: 'x'.repeat(characters - empty) };
};

it('keeps a config of a million characters, and no larger one', () => {
  expect(sizeIssues(contentOf(1_000_000), 'config')).toEqual([]);
  expect(sizeIssues(contentOf(1_000_001), 'config')).toMatchObject([{ name: 'config' }]);
});

it('gives 200 operations to a page that asks for no size', async () => {
  const asked: number[] = [];
  const cursors = { tokenOf: String, read: () => undefined };
  const { results, pagination } = await readPage({}, cursors, (_after, limit) => {
    asked.push(limit);
    return Promise.resolve(Array.from({ length: limit }, (_, at) => at));
  });
  // The row beyond the page shows that another page follows.
  expect([asked, results.length, pagination.done]).toEqual([[201], 200, false]);
});

it('ends a page at a million characters, with one item at least', async () => {
  const cursors = { tokenOf: (item: string) => String(item.length), read: () => undefined };
  const sizesOf = async (...lengths: readonly number[]) => {
    // As JSON each has two more.
    const items = lengths.map((length) => 'x'.repeat(length - 2));
    const { results, pagination } = await readPage({}, cursors, () => Promise.resolve(items));
    return [results.length, pagination];
  };
  expect(await sizesOf(400_000, 600_000)).toEqual([2, { done: true }]);
  expect(await sizesOf(400_000, 600_001)).toEqual([1, { done: false, nextPageToken: '399998' }]);
  expect(await sizesOf(2_000_000, 10)).toEqual([1, { done: false, nextPageToken: '1999998' }]);
  expect(await sizesOf(2_000_000)).toEqual([1, { done: true }]);
});
