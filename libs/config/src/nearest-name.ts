/** The known name with the fewest edits; undefined when even that one differs by more than a third of its length (two are always few, but not half of a short name). */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = editDistance(name.toUpperCase(), candidate.toUpperCase());
    if (edits < (best?.edits ?? Infinity)) best = { name: candidate, edits };
  }
  return best && best.edits <= Math.min(name.length / 2, Math.max(2, best.name.length / 3)) ? best.name : undefined;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
