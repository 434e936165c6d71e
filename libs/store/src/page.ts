import { limits, type BoundedPage, type Page } from '@sluice/types';
import type { Knex } from 'knex';

/** Reads a page of rows that are small, oldest first: their number alone ends it. */
export async function pageOfRows<Item extends { readonly id: string }>(
  query: Knex.QueryBuilder,
  { size, after }: Page,
  toItem: (row: never) => Item,
): Promise<BoundedPage<Item>> {
  if (after !== undefined) void query.where('id', '>', after);
  const rows = (await query.orderBy('id').limit(size + 1)) as never[];
  const items = rows.slice(0, size).map(toItem);
  return { items, lastId: items.length < rows.length ? items.at(-1)?.id : undefined };
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
