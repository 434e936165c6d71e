import { limits, type BoundedPage, type Page } from '@sluice/types';
import type { Knex } from 'knex';

/**
 * Narrows a list in the order of its ids to one page, with one row more than fits: it shows that another page follows.
 */
export function onPage<Query extends Knex.QueryBuilder>(query: Query, idColumn: string, page: Page | undefined): Query {
  if (page === undefined) return query;
  if (page.after !== undefined) void query.where(idColumn, '>', page.after);
  void query.limit(page.size + 1);
  return query;
}

/**
 * Reads a page that ends at `limits.pageBytesMax`, with one item at least. Sizes are read first, so no more is loaded than is shown.
 * @param sizes `id` and `bytes` of the list's items in their order, from the start of the page
 * @param read the items with these ids, in the same order
 */
export async function boundedPage<Item>(
  sizes: Knex.QueryBuilder,
  { size }: Page,
  read: (ids: readonly string[]) => Promise<readonly Item[]>,
): Promise<BoundedPage<Item>> {
  const found = (await sizes.limit(size + 1)) as { readonly id: string; readonly bytes: number }[];
  const ids: string[] = [];
  let total = 0;
  for (const { id, bytes } of found.slice(0, size)) {
    total += bytes;
    if (ids.length > 0 && total > limits.pageBytesMax) break;
    ids.push(id);
  }
  const lastId = ids.at(-1);
  if (lastId === undefined) return { items: [] };
  return { items: await read(ids), ...(ids.length < found.length ? { lastId } : {}) };
}

/** Bytes of texts that a row stores; the texts themselves are not read for it. @param columns names of ours */
export const bytesOf = (database: Knex, ...columns: readonly string[]) =>
  database.raw(`${columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')} as bytes`);
