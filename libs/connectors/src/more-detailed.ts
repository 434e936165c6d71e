import type { Fields } from './requests';

/**
 * The creates that send everything that these fields name, and more. A record that carries all of theirs is theirs, and not of
 * the create that told less. Names are compared in any case, which errs on the side of leaving a record alone.
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
