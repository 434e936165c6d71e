import { invalid, listText, type Reply } from '@sluice/http';
import {
  idOfPageToken,
  limits,
  pageTokenOf,
  type BoundedPage,
  type Page,
  type PageQuery,
  type Pagination,
} from '@sluice/types';

/** A request for a list, as far as its pages go. */
export interface ListRequest {
  readonly query: PageQuery;
  /** Path and query, from the root. */
  readonly url: string;
}

type ReadBounded<Item> = (page: Page) => Promise<BoundedPage<Item>>;

/**
 * `wholeList` of items that are small, each of which is a row.
 * @param read reads one item more than fits on the page
 */
export async function pagedList<Item extends { readonly id: string }>(
  request: ListRequest,
  read: (page: Page) => Promise<readonly Item[]>,
): Promise<Reply> {
  const readBounded = async (page: Page): Promise<BoundedPage<Item>> => {
    const rows = await read(page);
    const items = rows.slice(0, page.size);
    const last = items.at(-1);
    return { items, ...(last !== undefined && items.length < rows.length ? { lastId: last.id } : {}) };
  };
  return await wholeList(request, readBounded, (item) => item);
}

/** Answers one page of a list, the first unless another is asked for; `Link` leads to the next one. */
export async function boundedList<Item>(
  { query: { pageSize = limits.pageSizeDefault, pageToken }, url }: ListRequest,
  read: ReadBounded<Item>,
  toReply: (item: Item) => unknown,
): Promise<Reply> {
  const after = positionOf(pageToken, byId, 'must be the pageToken of a link to the next page, as it was given');
  const { items, lastId } = await read({ size: pageSize, ...(after === undefined ? {} : { after }) });
  return { body: items.map(toReply), ...(lastId === undefined ? {} : { headers: nextLink(url, lastId) }) };
}

/**
 * Answers a list: whole, as the specification says, unless the query asks for a page; then `Link` leads to the next one. What is more than a
 * page is read in batches, each by its own statement, and sent an item at a time: a caller who reads slowly holds one batch of memory and no
 * connection of the database.
 * @param toReply what an item looks like in the reply
 * @throws ValidationError 400 for a token that no link has
 */
export async function wholeList<Item>(
  request: ListRequest,
  read: ReadBounded<Item>,
  toReply: (item: Item) => unknown,
): Promise<Reply> {
  const { pageSize, pageToken } = request.query;
  if (pageSize !== undefined || pageToken !== undefined) return await boundedList(request, read, toReply);
  const first = await read({ size: limits.pageSizeMax });
  if (first.lastId === undefined) return { body: first.items.map(toReply) };
  return { stream: listText(itemsFrom(first, read, toReply)) };
}

async function* itemsFrom<Item>(first: BoundedPage<Item>, read: ReadBounded<Item>, toReply: (item: Item) => unknown) {
  for (let batch: BoundedPage<Item> | undefined = first; batch !== undefined;) {
    for (const item of batch.items) yield toReply(item);
    const { lastId: after }: BoundedPage<Item> = batch;
    batch = after === undefined ? undefined : await read({ size: limits.pageSizeMax, after });
  }
}

/** Source: RFC 8288. Relative, because only the caller knows by which host it came. */
function nextLink(url: string, lastId: string) {
  const next = new URL(url, 'http://host.invalid');
  next.searchParams.set('pageToken', pageTokenOf(lastId));
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}

/** How a list names positions: the one of a token, and the token of an item. */
export interface Cursor<Item, Position> {
  readonly read: (token: string) => Position | undefined;
  readonly tokenOf: (item: Item) => string;
}

/** Of lists of things that have an id. */
export const byId: Cursor<{ readonly id: string }, string> = {
  read: idOfPageToken,
  tokenOf: ({ id }) => pageTokenOf(id),
};

/** Of records in their operation. */
export const byIndex: Cursor<{ readonly index: number }, number> = {
  read: (token) => {
    const index = Number(/^r(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
    return index >= 0 && byIndex.tokenOf({ index }) === token ? index : undefined;
  },
  tokenOf: ({ index }) => Buffer.from(`r${index}`).toString('base64url'),
};

/**
 * One page of a list that is always paged, which ends at 1 MB as at its number of items, with one item at least. One item more than fits is asked
 * for: that there is one says that another page follows.
 * @param list the items after a position, at most `limit` of them
 * @throws ValidationError 400 for a token that no page of such a list gave
 */
export async function readPage<Item, Position>(
  { pageSize = limits.pageSizeDefault, pageToken }: PageQuery,
  cursor: Cursor<Item, Position>,
  list: (after: Position | undefined, limit: number) => Promise<readonly Item[]>,
) {
  const found = await list(positionOf(pageToken, cursor), pageSize + 1);
  const results = withinBytes(found.slice(0, pageSize));
  return { results, pagination: paginationOf(results, found.length > results.length, cursor) };
}

/** Where a page begins. @throws ValidationError 400 for a token that no page of such a list gave */
export function positionOf<Item, Position>(
  pageToken: string | undefined,
  cursor: Cursor<Item, Position>,
  detail = 'must be the nextPageToken of a page of this list',
): Position | undefined {
  const after = pageToken === undefined ? undefined : cursor.read(pageToken);
  if (pageToken !== undefined && after === undefined)
    throw invalid([{ in: 'query', name: 'pageToken', detail, value: pageToken }]);
  return after;
}

/** What leads from these items to the next page, if there is one. */
export function paginationOf<Item>(
  results: readonly Item[],
  hasMore: boolean,
  { tokenOf }: Pick<Cursor<Item, unknown>, 'tokenOf'>,
): Pagination {
  const last = results.at(-1);
  return hasMore && last !== undefined ? { done: false, nextPageToken: tokenOf(last) } : { done: true };
}

function withinBytes<Item>(items: readonly Item[]): readonly Item[] {
  let characters = 0;
  const end = items.findIndex((item) => (characters += JSON.stringify(item).length) > limits.pageBytesMax);
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}
