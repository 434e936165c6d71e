import type { CreatedMatch, FoundCreated, ProviderFailure, ProviderRecord } from '../results';
import type { Look } from './find-created';
import { matchesSent } from './same-value';

/** Clocks of ours and of HubSpot may differ by this much. Source: reference 1c. */
export const clockSkewMs = 10_000;

/** The records that carry what was sent and were created no earlier than the first attempt, oldest first. */
export function toFound(look: Look, records: readonly ProviderRecord[], consistent: boolean): FoundCreated {
  const matches = records.flatMap((record) => toMatch(look, record));
  if (matches.length === 0) return { kind: 'none', consistent };
  return { kind: 'found', consistent, matches: matches.sort((one, other) => +one.createdAt - +other.createdAt) };
}

/** The look failed; another may succeed. */
export function toFailedLook(failure: ProviderFailure, consistent: boolean): FoundCreated {
  return { kind: 'cannot-look', consistent, reason: failure.message, failure };
}

function toMatch(look: Look, record: ProviderRecord): CreatedMatch[] {
  const { id, createdAt, fields, raw } = record;
  if (!createdAt || +createdAt < +look.since - clockSkewMs || !matchesSent(look.fields, fields)) return [];
  return [{ recordId: id, createdAt, data: raw }];
}
