import { limits } from './limits';

/** One page of a list. */
export interface Page {
  /** Items at most. */
  readonly size: number;
  /** Id of the last item of the page before. Absent: the first page. */
  readonly after?: string;
}

/** Items of a page that ends by its bytes as by its size. */
export interface BoundedPage<Item> {
  readonly items: readonly Item[];
  /** Id of its last item, when another page follows. */
  readonly lastId?: string;
}

/** Query of a list that is given whole, unless a page is asked for. */
export interface PageQuery {
  /** `limits.pageSizeMin` to `limits.pageSizeMax`. Absent without `pageToken`: the whole list; with it `limits.pageSizeDefault`. */
  readonly pageSize?: number;
  /** Of the link to the next page. */
  readonly pageToken?: string;
}

/** Properties of the query schema of such a list. */
export const pageProperties = {
  pageSize: { type: 'integer', minimum: limits.pageSizeMin, maximum: limits.pageSizeMax },
  pageToken: { type: 'string', minLength: 1, maxLength: 64 },
} as const;

/**
 * The token of the page after this id: opaque to callers. It is a cursor and grants no right: with another one a caller sees
 * another part of the same list.
 */
export function pageTokenOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The id in a token; undefined for a text that `pageTokenOf` never makes. */
export function idOfPageToken(token: string): string | undefined {
  const hex = Buffer.from(token, 'base64url').toString('hex');
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex)?.slice(1);
  const id = parts?.join('-');
  return id !== undefined && pageTokenOf(id) === token ? id : undefined;
}

/** Bytes of a value in a reply. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The first items, as many as have at most `bytesMax` together in a reply. */
export function firstWithin<Item>(items: readonly Item[], bytesMax: number): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += jsonBytes(item)) > bytesMax);
  return end === -1 ? items : items.slice(0, end);
}
