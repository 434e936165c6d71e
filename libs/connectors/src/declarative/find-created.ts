import {
  cannotLookUp,
  clockSkewMs,
  failedLookup,
  foundRecords,
  type FoundCreated,
  type ProviderFailure,
} from '../results';
import type { Fields, FindCreated } from '../requests';
import type { DeclaredApi } from './call-provider';
import type { DeclaredSearch } from './declaration';
import { type UniqueValue, matchesSent, sameValue, uniqueValueOf } from './same-value';
import { readPage } from './search';
import { findObject } from './template';

/** Records requested: the value is unique, so a further one would be another, similar record. */
const rowsMax = 10;

/**
 * Looks up creates of unknown outcome by the value that the file says is unique, one search each. After a failure the others are
 * not requested: they would most likely fail too, at the cost of the account's quota.
 */
export async function findCreated(
  api: DeclaredApi,
  declared: DeclaredSearch,
  find: FindCreated,
): Promise<FoundCreated[]> {
  const found = findObject(api.file, find.objectName);
  const results: FoundCreated[] = [];
  let failure: ProviderFailure | undefined;
  for (const { fields, since } of find.records) {
    const unique = 'class' in found ? undefined : uniqueValueOf(found.object, fields);
    if (unique === undefined) results.push(cannotLookUp('the record has no value that is unique at the provider'));
    else {
      const lookup: FoundCreated = failure
        ? failedLookup(failure, true)
        : await lookUp(api, declared, find, { fields, since, unique });
      if (lookup.kind === 'cannot-look-up') failure ??= lookup.failure;
      results.push(lookup);
    }
  }
  return results;
}

interface Lookup {
  readonly fields: Fields;
  readonly since: Date;
  readonly unique: UniqueValue;
}

async function lookUp(
  api: DeclaredApi,
  declared: DeclaredSearch,
  find: FindCreated,
  { fields, since, unique: { name, value } }: Lookup,
): Promise<FoundCreated> {
  const request = { ...find, filters: [{ field: name, value }], fields: Object.keys(fields), limit: rowsMax };
  const page = await readPage(api, declared, request, 'look');
  if (!page.ok) return failedLookup(page.failure, true);
  const own = page.records.find((record) => sameValue(value, record.fields[name]));
  if (own === undefined) return { kind: 'none', consistent: true };
  // Without a time of creation, or with one that the write itself set, the record may belong to any writer.
  const moment = declared.created?.split('/').at(-1)?.toLowerCase();
  const isBackdated = Object.keys(fields).some((sent) => sent.toLowerCase() === moment);
  if (own.createdAt === undefined || isBackdated) return { kind: 'none', consistent: true, near: [own.id] };
  // Older than the first attempt, so another writer's. A resend then meets the provider's refusal, as it should.
  if (+own.createdAt < +since - clockSkewMs) return { kind: 'none', consistent: true };
  if (!matchesSent(fields, own.fields)) return { kind: 'none', consistent: true, near: [own.id] };
  return foundRecords([own], { consistent: true });
}
