import { clockSkewMs, failedLookup, foundRecords } from '../created';
import type { Fields, FindCreated } from '../requests';
import type { FoundCreated, ProviderFailure } from '../results';
import type { DeclaredApi } from './call-provider';
import type { DeclaredSearch } from './declaration';
import { type UniqueValue, matchesSent, sameValue, uniqueValueOf } from './same-value';
import { readPage } from './search';
import { findObject } from './template';

/** Records asked for: the value is unique, so more than one would be another record that is alike. */
const rowsMax = 10;

const cannotLook: FoundCreated = {
  kind: 'cannot-look',
  consistent: false,
  reason: 'the record has no value that is unique at the provider',
};

/**
 * Looks for creates of unknown outcome by the value that the file says is unique, one search each. After a failure the others are
 * not asked for: they would most likely fail too, at the cost of the account's quota.
 */
export async function findCreated(
  api: DeclaredApi,
  declared: DeclaredSearch,
  find: FindCreated,
): Promise<FoundCreated[]> {
  const found = findObject(api.file, find.objectName);
  const looked: FoundCreated[] = [];
  let failure: ProviderFailure | undefined;
  for (const { fields, since } of find.records) {
    const unique = 'class' in found ? undefined : uniqueValueOf(found.object, fields);
    if (unique === undefined) looked.push(cannotLook);
    else {
      const look: FoundCreated = failure
        ? failedLookup(failure, true)
        : await lookFor(api, declared, find, { fields, since, unique });
      if (look.kind === 'cannot-look') failure ??= look.failure;
      looked.push(look);
    }
  }
  return looked;
}

interface Look {
  readonly fields: Fields;
  readonly since: Date;
  readonly unique: UniqueValue;
}

async function lookFor(
  api: DeclaredApi,
  declared: DeclaredSearch,
  find: FindCreated,
  { fields, since, unique: { name, value } }: Look,
): Promise<FoundCreated> {
  const request = { ...find, filters: [{ field: name, value }], fields: Object.keys(fields), limit: rowsMax };
  const page = await readPage(api, declared, request, 'look');
  if (!page.ok) return failedLookup(page.failure, true);
  const own = page.records.find((record) => sameValue(value, record.fields[name]));
  if (own === undefined) return { kind: 'none', consistent: true };
  // Without a moment nobody can tell whose it is.
  if (own.createdAt === undefined) return { kind: 'none', consistent: true, near: [own.id] };
  // Older than the first attempt: somebody else's, and a resend meets the provider's refusal, as it should.
  if (+own.createdAt < +since - clockSkewMs) return { kind: 'none', consistent: true };
  if (!matchesSent(fields, own.fields)) return { kind: 'none', consistent: true, near: [own.id] };
  return foundRecords([own], { consistent: true });
}
