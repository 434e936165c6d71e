import { retryOf } from '@sluice/errors';
import type { ObjectCall } from '../requests';
import type { ProviderFailure, RecordResult } from '../results';
import type { HubspotApi } from './call-hubspot';
import { linkAll } from './link-records';
import type { SchemaCache } from './object-schema';
import { resolveLinks, type Linkable } from './resolve-links';

/** A record with the outcome of its fields. */
export interface Updated extends Linkable {
  readonly result: RecordResult;
  /** False: no field was sent, the associations are the whole update. */
  readonly hasFields: boolean;
}

/**
 * Makes the associations of records that were just updated: one call per object they point to, however many records
 * there are. HubSpot takes none with the update itself. Source: reference A2, A4.
 * A failure that may pass keeps the record unfinished, so that its update is repeated as a whole: both halves can be
 * sent twice. A failure that stays is a warning where the fields were written, and the outcome where there were none.
 */
export async function associate(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
  records: readonly Updated[],
): Promise<RecordResult[]> {
  const linkable = records.map((record) => (record.result.ok ? record : { ...record, associations: [] }));
  const { byTarget, unresolved } = await resolveLinks(api, cache, call, linkable);
  const missed = [...unresolved];
  for (const [target, links] of byTarget) {
    // An account that is blocked is not asked once more.
    const blocked = missed.find(({ failure }) => failure.scope === 'lane')?.failure;
    missed.push(
      ...(blocked ? links.map(({ index }) => ({ index, failure: blocked })) : await linkAll(api, call, target, links)),
    );
  }
  return records.map((record, index) => {
    const failures = missed.filter((each) => each.index === index).map(({ failure }) => failure);
    return failures.reduce((result, failure) => settle(result, failure, record.hasFields), record.result);
  });
}

function settle(result: RecordResult, failure: ProviderFailure, hasFields: boolean): RecordResult {
  if (!result.ok) return result;
  const done = hasFields ? 'The record was updated, an' : 'An';
  const message = `${done} association was not made: ${failure.message}`;
  const isFinal = retryOf(failure.class) === 'never';
  if (isFinal && hasFields) return { ...result, warnings: [...(result.warnings ?? []), message] };
  // Nobody need wonder whether an association that may be made twice was made.
  const isAmbiguous = failure.class === 'unknown' || failure.class === 'timeout';
  return { ok: false, error: { ...failure, message, ...(isAmbiguous && { class: 'unavailable' }) } };
}
