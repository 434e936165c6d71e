import { methodsOf, type Exchange, type Params, type Shapes } from './call-operation';
import type { CallOptions, OperationShape, OperationTypes, Reply } from './operation-shape';

/** An item of a list's reply; never: it is no list. */
type ItemOf<R> = R extends readonly (infer Item)[]
  ? Item
  : R extends { readonly results: readonly (infer Item)[] }
    ? Item
    : never;

type PagedNames<O> = {
  [K in keyof O]: O[K] extends { params: { pageToken?: string }; reply: infer R }
    ? [ItemOf<R>] extends [never]
      ? never
      : K
    : never;
}[keyof O];

type ListParams<P> = Omit<P, 'pageToken'>;

/** A method per list that has pages: every item of it, one after the other. The next page is asked for when its first item is. */
export type IteratingApi<O> = {
  readonly [K in PagedNames<O>]: O[K] extends OperationTypes
    ? (
        ...given: object extends ListParams<O[K]['params']>
          ? [params?: ListParams<O[K]['params']>, options?: CallOptions]
          : [params: ListParams<O[K]['params']>, options?: CallOptions]
      ) => AsyncGenerator<ItemOf<O[K]['reply']>, void, undefined>
    : never;
};

/** Items of a page where the call names no `pageSize`. Source: the service's own default. */
const pageSizeDefault = 200;

export function createIteratingApi<O>(exchange: Exchange, shapes: Shapes<O>): IteratingApi<O> {
  const paged = Object.entries<OperationShape>(shapes).filter(([, { query }]) => query.includes('pageToken'));
  return methodsOf(Object.fromEntries(paged), (name, shape, params, options) =>
    iterate((page) => exchange(name, shape, { pageSize: pageSizeDefault, ...params, ...page }, options)),
  ) as IteratingApi<O>;
}

interface PageDocument {
  readonly results: readonly unknown[];
  readonly pagination: { readonly nextPageToken?: string };
}

async function* iterate(read: (page: Params) => Promise<Reply>): AsyncGenerator<unknown, void, undefined> {
  for (let page: Params | undefined = {}; page !== undefined;) {
    const { body, headers }: Reply = await read(page);
    const document = body as PageDocument | readonly unknown[];
    const isBare = Array.isArray(document);
    yield* isBare ? document : (document as PageDocument).results;
    const pageToken = isBare ? tokenOfLink(headers) : (document as PageDocument).pagination.nextPageToken;
    page = pageToken === undefined ? undefined : { pageToken };
  }
}

/** Lists that are bare arrays name the next page in a header. Source: RFC 8288. */
function tokenOfLink(headers: Headers): string | undefined {
  const [, address] = /<([^<>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  if (address === undefined) return undefined;
  return new URL(address, 'http://host.invalid').searchParams.get('pageToken') ?? undefined;
}
