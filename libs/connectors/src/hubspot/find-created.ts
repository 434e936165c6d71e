import { ProviderError, retryOf } from '@sluice/errors';
import { moreDetailed } from '../more-detailed';
import type { Fields, FindCreated } from '../requests';
import type { FoundCreated, ProviderFailure } from '../results';
import { toFailure } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';
import { toFailedLook } from './created-matches';
import { lookByKey } from './look-by-key';
import { lookBySearch } from './look-by-search';
import { uniqueProperties, type PropertyCache } from './read-properties';
import { accountKeyOf, uniqueKeyOf, type UniqueKey } from './unique-key';

/** One create of unknown outcome, with its place in the request. */
export interface Look {
  readonly index: number;
  readonly fields: FindCreated['records'][number]['fields'];
  readonly since: Date;
  /** Creates of others that tell more: what carries all of theirs is theirs. */
  readonly others: readonly Fields[];
  /** False: there may be more of them. */
  readonly othersAreWhole: boolean;
}

/** A look and what it showed. */
export type Looked = readonly [look: Look, found: FoundCreated];

/**
 * Looks for creates of unknown outcome: by a unique property where a record sends one (consistent, 100 per call), else by
 * a search for what was sent (lags). Which properties are unique beside the email the account is asked, once a minute. Source: reference 1c.
 */
export async function findCreated(api: HubspotApi, cache: PropertyCache, find: FindCreated): Promise<FoundCreated[]> {
  const { objectName, records, others = [], othersAreWhole = true } = find;
  const isEmailEnough = records.every(({ fields }) => uniqueKeyOf(objectName, fields));
  const { unique, failure } = isEmailEnough ? { unique: [] } : await askUnique(api, cache, find);
  const keyed: (Look & { key: UniqueKey })[] = [];
  const unkeyed: Look[] = [];
  for (const [index, record] of records.entries()) {
    const key = uniqueKeyOf(objectName, record.fields) ?? accountKeyOf(unique, record.fields);
    // Who has the key is told by it alone.
    if (key) keyed.push({ ...record, index, key, others: [], othersAreWhole: true });
    else unkeyed.push({ ...record, index, others: moreDetailed(record.fields, others), othersAreWhole });
  }
  const looked = new Map<number, FoundCreated>();
  for (const [look, found] of await lookByKey(api, find, keyed)) looked.set(look.index, found);
  const searched = failure
    ? unkeyed.map((look): Looked => [look, toFailedLook(failure, false)])
    : await lookBySearch(api, find, unkeyed);
  for (const [look, found] of searched) looked.set(look.index, found);
  return records.map((_, index) => looked.get(index) ?? neverLooked);
}

const neverLooked: FoundCreated = { kind: 'cannot-look', consistent: false, reason: 'the record was not looked for' };

/** An account that does not tell is looked at by search; one that does not answer now may answer the next look. */
async function askUnique(
  api: HubspotApi,
  cache: PropertyCache,
  find: FindCreated,
): Promise<{ readonly unique: readonly string[]; readonly failure?: ProviderFailure }> {
  try {
    return { unique: await uniqueProperties(api, cache, find) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return retryOf(error.class) === 'never' ? { unique: [] } : { unique: [], failure: toFailure(error) };
  }
}
