import { invalid, listText, type Reply } from '@sluice/http';
import { idOfPageToken, limits, pageTokenOf, type BoundedPage, type Page, type PageQuery } from '@sluice/types';

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

/** Answers one page of a list of ours, the first unless another is asked for; `Link` leads to the next one. */
export async function boundedList<Item>(
  request: ListRequest,
  read: ReadBounded<Item>,
  toReply: (item: Item) => unknown,
): Promise<Reply> {
  const { items, lastId } = await read(readPage(request.query) ?? { size: limits.pageSizeDefault });
  return {
    body: items.map(toReply),
    ...(lastId === undefined ? {} : { headers: nextLink(request.url, pageTokenOf(lastId)) }),
  };
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
  if (readPage(request.query) !== undefined) return await boundedList(request, read, toReply);
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

function readPage({ pageSize, pageToken }: PageQuery): Page | undefined {
  if (pageToken === undefined) return pageSize === undefined ? undefined : { size: pageSize };
  const after = idOfPageToken(pageToken);
  if (after !== undefined) return { size: pageSize ?? limits.pageSizeDefault, after };
  const detail = 'must be the pageToken of a link to the next page, as it was given';
  throw invalid([{ in: 'query', name: 'pageToken', detail, value: pageToken }]);
}

/** Source: RFC 8288. Relative, because only the caller knows by which host it came. */
export function nextLink(url: string, pageToken: string) {
  const next = new URL(url, 'http://host.invalid');
  next.searchParams.set('pageToken', pageToken);
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
}
