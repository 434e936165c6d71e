import type { Page } from '@sluice/types';
import type { Knex } from 'knex';

/**
 * Narrows a list that stands in the order of its ids to one page, with one row more than fits: that there is one says that
 * another page follows.
 */
export function onPage<Query extends Knex.QueryBuilder>(query: Query, idColumn: string, page: Page | undefined): Query {
  if (page === undefined) return query;
  if (page.after !== undefined) void query.where(idColumn, '>', page.after);
  void query.limit(page.size + 1);
  return query;
}
