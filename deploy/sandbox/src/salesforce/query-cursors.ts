import { badRequest } from './errors';
import { idOf } from './record-ids';

/** Salesforce keeps ten cursors of a user open and drops the oldest. */
const OPEN_MAX = 10;

/** One page of a query, with the locator of the next one. */
export interface QueryPage {
  readonly totalSize: number;
  readonly records: readonly unknown[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Rows of queries that were longer than a page. They stay as they were found. */
export class QueryCursors {
  private readonly rows = new Map<string, { readonly all: readonly unknown[]; readonly pageSize: number }>();
  private opened = 0;

  /** The first page of `all`. */
  open(all: readonly unknown[], pageSize: number): QueryPage {
    if (all.length <= pageSize) return { totalSize: all.length, records: all };
    this.opened += 1;
    const cursor = idOf('01g', this.opened);
    this.rows.set(cursor, { all, pageSize });
    const [oldest] = this.rows.keys();
    if (this.rows.size > OPEN_MAX && oldest !== undefined) this.rows.delete(oldest);
    return this.page(cursor, 0);
  }

  /** The page that a locator such as `01g…-2000` names. @throws SalesforceError INVALID_QUERY_LOCATOR */
  next(locator: string): QueryPage {
    const [, cursor = '', offset = ''] = /^(\w+)-(\d+)$/.exec(locator) ?? [];
    return this.page(cursor, Number(offset));
  }

  private page(cursor: string, offset: number): QueryPage {
    const rows = this.rows.get(cursor);
    if (!rows || offset >= rows.all.length) throw badRequest('INVALID_QUERY_LOCATOR', 'invalid query locator');
    const end = offset + rows.pageSize;
    const records = rows.all.slice(offset, end);
    const next = end < rows.all.length ? { next: `${cursor}-${end}` } : {};
    return { totalSize: rows.all.length, records, ...next };
  }
}
