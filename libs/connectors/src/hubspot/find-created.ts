import type { FindCreated } from '../requests';
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
}

/** A look and what it showed. */
export type Looked = readonly [look: Look, found: FoundCreated];

/**
 * Looks for creates of unknown outcome: by the unique property where a record sends one (consistent, 100 per call),
 * else by a search for what was sent (lags). Source: reference 1c.
 */
export async function findCreated(api: HubspotApi, find: FindCreated): Promise<FoundCreated[]> {
  const keyed: (Look & { key: UniqueKey })[] = [];
  const others: Look[] = [];
  for (const [index, record] of find.records.entries()) {
    const key = uniqueKeyOf(find.objectName, record.fields);
    if (key) keyed.push({ ...record, index, key });
    else others.push({ ...record, index });
  }
  const looked = new Map<number, FoundCreated>();
  for (const [look, found] of await lookByKey(api, find, keyed)) looked.set(look.index, found);
  for (const [look, found] of await lookBySearch(api, find, others)) looked.set(look.index, found);
  return find.records.map((_, index) => looked.get(index) ?? neverLooked);
}

const neverLooked: FoundCreated = { kind: 'cannot-look', consistent: false, reason: 'the record was not looked for' };
