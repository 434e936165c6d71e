import { invalid, jsonList, listText, queryOf, type Reply } from '@sluice/http';
import type { EventPosition } from '@sluice/store';
import { firstWithin, idOfPageToken, limits, pageProperties, pageTokenOf } from '@sluice/types';
import type { BoundedPage, Caller, JsonSchema, Page, PageQuery, Pagination } from '@sluice/types';

/** Header of the reply of a list that is given whole unless a page is asked for. */
export const linkToNext = {
  Link: { description: 'rel="next": the next page, when a page was asked for and it is not the last.' },
} as const;

/** Header of the reply of a list that is always in pages. */
export const linkWhenMore = { Link: { description: 'rel="next": the next page, when there is one.' } } as const;

/**
 * The memory that a list of stored bodies takes while it is sent: one statement's megabyte as it was read, as its value, and as the text that is
 * written. Each has two bytes a character where a character needs them. Fifty at once with a third of it ended a service of 256 MiB.
 */
export const listBytesMax = 4 * limits.pageBytesMax;

/** A request for a list, as far as its pages go. */
export interface ListRequest {
  readonly caller: Caller;
  readonly query: PageQuery;
  /** Path and query, from the root. */
  readonly url: string;
}

type ReadBounded<Item> = (page: Page) => Promise<BoundedPage<Item>>;
/** What this caller sees of an item. */
type Present<Item> = (caller: Caller, item: Item) => unknown;

/** Answers one page of a list, the first unless another is asked for; `Link` leads to the next one. */
export async function boundedList<Item>(
  { caller, query: { pageSize = limits.pageSizeDefault, pageToken }, url }: ListRequest,
  read: ReadBounded<Item>,
  present: Present<Item>,
): Promise<Reply> {
  const after = positionOf(pageToken, byId, 'must be the pageToken of a link to the next page, as it was given');
  const { items, lastId } = await read({ size: pageSize, after });
  const body = items.map((item) => present(caller, item));
  return { body, headers: lastId === undefined ? undefined : nextLink(url, pageTokenOf(lastId)) };
}

/**
 * Answers a list: whole, as the specification says, unless the query asks for a page; then `Link` leads to the next one. A list of more than a page
 * is read in batches, each by its own statement, and sent an item at a time. A caller who reads slowly holds one batch of memory and no connection of
 * the database.
 * @throws ValidationError 400 for a token that no link has
 */
export async function wholeList<Item>(
  request: ListRequest,
  read: ReadBounded<Item>,
  present: Present<Item> = (_caller, item) => item,
): Promise<Reply> {
  const { caller, query } = request;
  if (query.pageSize !== undefined || query.pageToken !== undefined) return await boundedList(request, read, present);
  const first = await read({ size: limits.pageSizeMax });
  if (first.lastId === undefined) return { body: first.items.map((item) => present(caller, item)) };
  return { stream: listText(itemsFrom(first, read, (item) => present(caller, item))) };
}

async function* itemsFrom<Item>(first: BoundedPage<Item>, read: ReadBounded<Item>, toReply: (item: Item) => unknown) {
  for (let batch: BoundedPage<Item> | undefined = first; batch !== undefined;) {
    for (const item of batch.items) yield toReply(item);
    const { lastId: after }: BoundedPage<Item> = batch;
    batch = after === undefined ? undefined : await read({ size: limits.pageSizeMax, after });
  }
}

/** Source: RFC 8288. Relative, because only the caller knows by which host it came. */
export function nextLink(url: string, pageToken: string) {
  const next = new URL(url, 'http://host.invalid');
  next.searchParams.set('pageToken', pageToken);
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}

/** What the routes of a list of stored bodies have in common: it is given whole unless a page is asked for. @param filters of its query */
export function wholeListOf<const Filters extends object>(item: JsonSchema, filters: Filters) {
  return {
    replies: { 200: jsonList(item, linkToNext) },
    query: queryOf({ ...filters, ...pageProperties }),
    replyBytesMax: listBytesMax,
  } as const;
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

/** Of events in their operation. */
export const byPosition: Cursor<{ readonly position: EventPosition }, EventPosition> = {
  read: (token) => {
    const parts = /^e(\d{1,17})\.(\d{1,2})\.([\da-f]{8,14})$/.exec(Buffer.from(token, 'base64url').toString());
    const [, micros = '', rank = '', tie = ''] = parts ?? [];
    const position = { micros, rank: Number(rank), tie };
    return parts !== null && byPosition.tokenOf({ position }) === token ? position : undefined;
  },
  tokenOf: ({ position: { micros, rank, tie } }) => Buffer.from(`e${micros}.${rank}.${tie}`).toString('base64url'),
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
  const fitting = firstWithin(found.slice(0, pageSize), limits.pageBytesMax);
  // An item that fills a page alone is on it all the same.
  const results = fitting.length === 0 ? found.slice(0, 1) : fitting;
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
