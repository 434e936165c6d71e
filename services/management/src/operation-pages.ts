import type { Issue } from '@sluice/errors';
import type { EventPosition } from '@sluice/store';
import { firstWithin, idOfPageToken, limits, pageTokenOf, type Pagination } from '@sluice/types';
import { refuseIssues } from './refuse-issues';

/** Query of a list that is always paged. */
export interface PagedQuery {
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** One page, with what leads to the next. */
export interface PageReply<Item> {
  readonly results: readonly Item[];
  readonly pagination: Pagination;
}

/** How a list names places: where a token points, and the token of an item. */
export interface Places<Item, Place> {
  readonly read: (token: string) => Place | undefined;
  readonly tokenOf: (item: Item) => string;
}

/** Places by id: of lists of things that have one. */
export const byId: Places<{ readonly id: string }, string> = {
  read: idOfPageToken,
  tokenOf: ({ id }) => pageTokenOf(id),
};

/** Places by index: of records in their operation. */
export const byIndex: Places<{ readonly index: number }, number> = {
  read: (token) => {
    const digits = /^r(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
    const index = Number(digits);
    return digits !== undefined && tokenOfIndex(index) === token ? index : undefined;
  },
  tokenOf: ({ index }) => tokenOfIndex(index),
};

function tokenOfIndex(index: number): string {
  return Buffer.from(`r${index}`).toString('base64url');
}

/** Places of events in their operation. */
export const byPosition: Places<{ readonly position: EventPosition }, EventPosition> = {
  read: (token) => {
    const parts = /^e(\d{1,17})\.(\d{1,2})\.([\da-f]{8,14})$/.exec(Buffer.from(token, 'base64url').toString());
    const [, micros = '', rank = '', tie = ''] = parts ?? [];
    const position = { micros, rank: Number(rank), tie };
    return parts !== null && byPosition.tokenOf({ position }) === token ? position : undefined;
  },
  tokenOf: ({ position: { micros, rank, tie } }) => Buffer.from(`e${micros}.${rank}.${tie}`).toString('base64url'),
};

/**
 * One page of a list, which ends at 1 MB as at its number of items, with one item at least. One item more than fits is asked for: that there is
 * one says that another page follows.
 * @param list the items after a place, at most `limit` of them
 * @throws ValidationError 400 for a token that no page of such a list gave
 */
export async function readPage<Item, Place>(
  { pageSize = limits.pageSizeDefault, pageToken }: PagedQuery,
  places: Places<Item, Place>,
  list: (after: Place | undefined, limit: number) => Promise<readonly Item[]>,
): Promise<PageReply<Item>> {
  const found = await list(placeOf(pageToken, places), pageSize + 1);
  const fitting = firstWithin(found.slice(0, pageSize), limits.pageBytesMax);
  // An item that fills a page alone is on it all the same.
  const results = fitting.length === 0 ? found.slice(0, 1) : fitting;
  return { results, pagination: paginationOf(results, found.length > results.length, places) };
}

/** Where a page begins. @throws ValidationError 400 for a token that no page of such a list gave */
export function placeOf<Item, Place>(pageToken: string | undefined, places: Places<Item, Place>): Place | undefined {
  const after = pageToken === undefined ? undefined : places.read(pageToken);
  if (pageToken !== undefined && after === undefined) refuseIssues([unknownToken(pageToken)]);
  return after;
}

/** What leads from these items to the next page, if there is one. */
export function paginationOf<Item>(
  results: readonly Item[],
  hasMore: boolean,
  { tokenOf }: Pick<Places<Item, unknown>, 'tokenOf'>,
): Pagination {
  const last = results.at(-1);
  return hasMore && last !== undefined ? { done: false, nextPageToken: tokenOf(last) } : { done: true };
}

function unknownToken(value: string): Issue {
  return { in: 'query', name: 'pageToken', detail: 'must be the nextPageToken of a page of this list', value };
}
