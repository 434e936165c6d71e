import type { FoundCreated } from '@sluice/connectors';
import type { Sendable } from './attempt';

/** A provider's clock and our own may differ by this much. Source: providers reference, 1c. */
const clockSkewMs = 10_000;

/** What a lookup found of the records of one call. */
export interface MatchInput {
  readonly records: readonly Sendable[];
  /** By index of the record; absent for one that was not looked up. */
  readonly found: ReadonlyMap<number, FoundCreated>;
  /** Provider ids that other creates own. */
  readonly claimed: ReadonlySet<string>;
  /** The last moment a send of this call can have been carried out; a record that was created later is not the call's. */
  readonly latest: Date | undefined;
}

/**
 * Gives each record of a call at most one of the provider's records, and each of these to at most one, so that as many as possible get one. A record
 * that could take several must not take the only one that another can have, which would then be created a second time. Records with the most fields
 * come first, because their matches fit others only by chance.
 * @returns provider ids, by index of the record
 */
export function matchCreated({ records, found, claimed, latest }: MatchInput): Map<number, string> {
  const candidates = new Map(
    records.map(({ index }) => [index, candidatesOf(found.get(index), claimed, latest)] as const),
  );
  const owners = new Map<string, number>();
  const detailed = records.toSorted((one, other) => fieldsOf(other) - fieldsOf(one));
  for (const { index } of detailed) give(index, { candidates, owners, tried: new Set() });
  return new Map([...owners].map(([id, index]) => [index, id]));
}

interface Search {
  readonly candidates: ReadonlyMap<number, readonly string[]>;
  readonly owners: Map<string, number>;
  readonly tried: Set<string>;
}

/** An augmenting path: the present owner of the wanted record may take another one. Source: Kuhn's bipartite matching. */
function give(index: number, search: Search): boolean {
  const { candidates, owners, tried } = search;
  const wanted = (candidates.get(index) ?? []).filter((id) => !tried.has(id));
  const free = wanted.find((id) => !owners.has(id));
  const taken = wanted.find((id) => {
    // A path that was begun for another record may have been here meanwhile.
    if (free !== undefined || tried.has(id)) return false;
    tried.add(id);
    return give(owners.get(id) as number, search);
  });
  const given = free ?? taken;
  if (given !== undefined) owners.set(given, index);
  return given !== undefined;
}

function candidatesOf(
  found: FoundCreated | undefined,
  claimed: ReadonlySet<string>,
  latest: Date | undefined,
): readonly string[] {
  if (found?.kind !== 'found') return [];
  const isOfOurTime = (createdAt: Date) => latest === undefined || +createdAt <= +latest + clockSkewMs;
  const free = found.matches.filter(({ recordId, createdAt }) => !claimed.has(recordId) && isOfOurTime(createdAt));
  return free.map(({ recordId }) => recordId);
}

function fieldsOf({ write }: Sendable): number {
  return Object.keys(write.fields).length;
}
