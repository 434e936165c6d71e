/** Longer names are compared by their beginning only: the table grows with the product of the lengths. */
const lengthMax = 64;

/**
 * The known name a misspelled one most likely means; undefined when none is near.
 * Near: at most a third of its letters (at least 1, at most 3) changed, added or left out; case does not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(name.length / 3))) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein, one row at a time. */
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
