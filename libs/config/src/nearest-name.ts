/** Longer names are compared by their beginning only: the table grows with the product of the lengths. */
const lengthMax = 64;

/** Edits that may be a slip. Our choice: in a name below nine letters three already change its meaning. */
const editsMax = 3;

/**
 * The known name that a misspelled one most likely means; undefined when none is near. Near: at most a third of the known name's letters changed,
 * added or left out (at least 2, at most 3), and at most half of those that were written. Case does not count.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = editDistance(name.toUpperCase(), candidate.toUpperCase());
    if (edits < (best?.edits ?? Infinity)) best = { name: candidate, edits };
  }
  return best && best.edits <= Math.min(name.length / 2, editsMax, Math.max(2, best.name.length / 3))
    ? best.name
    : undefined;
}

/** The `count` known names that are nearest to a name, however far; equal ones in their order. */
export function nearestNames(name: string, known: Iterable<string>, count: number): string[] {
  const wanted = name.toUpperCase();
  const rated = [...known].map((candidate) => [candidate, editDistance(wanted, candidate.toUpperCase())] as const);
  return rated
    .toSorted(([, one], [, other]) => one - other)
    .slice(0, count)
    .map(([candidate]) => candidate);
}

/** Levenshtein distance of their beginnings, one row at a time. */
function editDistance(from: string, to: string): number {
  const source = from.slice(0, lengthMax);
  const target = to.slice(0, lengthMax);
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (let i = 1; i <= source.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= target.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (source[i - 1] === target[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[target.length] ?? 0;
}
