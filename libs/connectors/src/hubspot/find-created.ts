import { moreDetailed } from '../more-detailed';
import type { Fields, FindCreated } from '../requests';
import type { FoundCreated } from '../results';
import type { HubspotApi } from './call-hubspot';
import { lookByKey } from './look-by-key';
import { lookBySearch } from './look-by-search';
import { uniqueKeyOf, type UniqueKey } from './unique-key';

/** One create of unknown outcome, with its place in the request. */
export interface Look {
  readonly index: number;
  readonly fields: FindCreated['records'][number]['fields'];
  readonly since: Date;
  /** Creates of others that tell more: what carries all of theirs is theirs. */
  readonly others: readonly Fields[];
}

/** A look and what it showed. */
export type Looked = readonly [look: Look, found: FoundCreated];

/**
 * Looks for creates of unknown outcome: by the unique property where a record sends one (consistent, 100 per call),
 * else by a search for what was sent (lags). Source: reference 1c.
 */
export async function findCreated(api: HubspotApi, find: FindCreated): Promise<FoundCreated[]> {
  const keyed: (Look & { key: UniqueKey })[] = [];
  const unkeyed: Look[] = [];
  for (const [index, record] of find.records.entries()) {
    const key = uniqueKeyOf(find.objectName, record.fields);
    // Who has the key is told by it alone.
    if (key) keyed.push({ ...record, index, key, others: [] });
    else unkeyed.push({ ...record, index, others: moreDetailed(record.fields, find.others ?? []) });
  }
  const looked = new Map<number, FoundCreated>();
  for (const [look, found] of await lookByKey(api, find, keyed)) looked.set(look.index, found);
  for (const [look, found] of await lookBySearch(api, find, unkeyed)) looked.set(look.index, found);
  return find.records.map((_, index) => looked.get(index) ?? neverLooked);
}

const neverLooked: FoundCreated = { kind: 'cannot-look', consistent: false, reason: 'the record was not looked for' };
