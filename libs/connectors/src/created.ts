import { createHash } from 'node:crypto';
import type { Fields } from './requests';
import type { FoundCreated, ProviderFailure, ProviderRecord } from './results';

/** Clocks of ours and of a provider may differ by this much. Source: reference 1c. */
export const clockSkewMs = 10_000;

/** The lookup succeeded and found these records, which all state when they were created. */
export function foundRecords(
  records: readonly ProviderRecord[],
  visibility: { readonly consistent: boolean; readonly near?: readonly string[] },
): FoundCreated {
  const matches = records.map(({ id, createdAt, raw }) => ({ recordId: id, createdAt: createdAt as Date, data: raw }));
  matches.sort((one, other) => +one.createdAt - +other.createdAt);
  return { kind: 'found', ...visibility, matches };
}

/** Nothing can be looked up by. */
export function cannotLookUp(reason: string, consistent = false): FoundCreated {
  return { kind: 'cannot-look-up', consistent, reason };
}

/** The lookup failed; another may succeed. */
export function failedLookup(failure: ProviderFailure, consistent: boolean): FoundCreated {
  return { kind: 'cannot-look-up', consistent, reason: failure.message, failure };
}

/**
 * The creates that send everything that these fields name, and more. A record that carries all of their values belongs to one of them, and not to
 * the less detailed create. Names are compared in any case, which errs on the side of leaving a record alone.
 */
export function moreDetailed(fields: Fields, others: readonly Fields[]): Fields[] {
  const own = namesOf(fields);
  return others.filter((other) => {
    const names = namesOf(other);
    return names.size > own.size && [...own].every((name) => names.has(name));
  });
}

function namesOf(fields: Fields): Set<string> {
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return new Set(set.map(([name]) => name.toLowerCase()));
}

/**
 * SHA-256, in hex, of what two creates have in common when they can be taken for one another.
 * @param values names with normalised values: the unique one alone where there is one, else all that are not empty
 */
export function fingerprintOf(objectName: string, values: readonly (readonly [name: string, value: string])[]): string {
  const sorted = values.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([objectName, sorted]))
    .digest('hex');
}
