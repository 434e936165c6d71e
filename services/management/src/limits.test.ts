import type { ConfigContent } from '@sluice/types';
import { sizeMisfits } from './installation-misfits';
import { readPage } from './operation-pages';

const contentOf = (characters: number): ConfigContent => {
  const empty = JSON.stringify({ provider: '' }).length;
  return { provider: 'x'.repeat(characters - empty) };
};

it('keeps a config of a million characters, and no larger one', () => {
  expect(sizeMisfits(contentOf(1_000_000), 'config')).toEqual([]);
  expect(sizeMisfits(contentOf(1_000_001), 'config')).toMatchObject([{ name: 'config' }]);
});

it('gives 200 operations to a page that asks for no size', async () => {
  const asked: number[] = [];
  const places = { tokenOf: String, read: () => undefined };
  const { results, pagination } = await readPage({}, places, (_after, limit) => {
    asked.push(limit);
    return Promise.resolve(Array.from({ length: limit }, (_, at) => at));
  });
  // One more tells that another page follows.
  expect([asked, results.length, pagination.done]).toEqual([[201], 200, false]);
});
