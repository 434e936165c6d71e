import type { CreatedMatch, FoundCreated, ProviderFailure, ProviderRecord } from '../results';
import type { Look } from './find-created';
import { canonicalObjectName } from './object-names';
import { matchesSent, normalizeValue, sameValue } from './same-value';
import type { UniqueKey } from './unique-key';

/** Clocks of ours and of HubSpot may differ by this much. Source: reference 1c. */
export const clockSkewMs = 10_000;

/**
 * Properties that tell who a record is, and that HubSpot does not fill by itself. A record that has one of them and was
 * not sent it is somebody else's, or no longer as we sent it. [own]
 */
const telling: Readonly<Record<string, readonly string[]>> = {
  contacts: ['email', 'firstname', 'lastname'],
  companies: ['name'],
  deals: ['dealname', 'amount'],
};

export function tellingOf(objectName: string): readonly string[] {
  return telling[canonicalObjectName(objectName)] ?? [];
}

/**
 * By the unique key: the one record that has it. Made in time with another value in it, it may be ours that a workflow
 * changed: it is near.
 */
export function toKeyed(look: Look & { readonly key: UniqueKey }, record: ProviderRecord | undefined): FoundCreated {
  const { name, value } = look.key;
  // A contact answers to its second email too, and was not made with that one.
  const isKeyed = record !== undefined && sameValue(value, record.fields[name]);
  if (!isKeyed || !isInTime(look, record)) return { kind: 'none', consistent: true };
  if (matchesSent(look.fields, record.fields)) return toFound([record], true);
  return { kind: 'none', consistent: true, near: [record.id] };
}

/**
 * By search: the records that carry what was sent and nothing else that tells who they are. Where not all other creates are known each may be
 * another's: it is near.
 */
export function toSearched(objectName: string, look: Look, records: readonly ProviderRecord[]): FoundCreated {
  const isAnothers = ({ fields }: ProviderRecord) => look.others.some((other) => matchesSent(other, fields));
  const candidates = records.filter(
    (record) => isInTime(look, record) && matchesSent(look.fields, record.fields) && !isAnothers(record),
  );
  const unsent = tellingOf(objectName).filter((name) => normalizeValue(look.fields[name]) === '');
  const isEqual = ({ fields }: ProviderRecord) => unsent.every((name) => normalizeValue(fields[name]) === '');
  const equal = look.othersAreWhole ? candidates.filter(isEqual) : [];
  if (equal.length > 0) return toFound(equal, false);
  const near = candidates.map(({ id }) => id);
  return { kind: 'none', consistent: false, ...(near.length > 0 && { near }) };
}

/** The look failed; another may succeed. */
export function toFailedLook(failure: ProviderFailure, consistent: boolean): FoundCreated {
  return { kind: 'cannot-look', consistent, reason: failure.message, failure };
}

function isInTime({ since }: Look, { createdAt }: ProviderRecord): boolean {
  return createdAt !== undefined && +createdAt >= +since - clockSkewMs;
}

function toFound(records: readonly ProviderRecord[], consistent: boolean): FoundCreated {
  const matches = records.map(({ id, createdAt, raw }): CreatedMatch => {
    return { recordId: id, createdAt: createdAt as Date, data: raw };
  });
  return { kind: 'found', consistent, matches: matches.sort((one, other) => +one.createdAt - +other.createdAt) };
}
