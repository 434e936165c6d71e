/** A line of either text, or of both. */
export interface LineChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Pairs of lines that are compared. Our choice: a quarter of a second; beyond it the differing part counts as replaced whole. */
const pairsMax = 4_000_000;

/** What turns one text into the other, line by line, with as many equal lines as there can be. Removed lines stand before added ones. */
export function diffLines(before: string, after: string): LineChange[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  const isEqualAtEnd = () => from[from.length - 1 - end] === to[to.length - 1 - end];
  while (end < from.length - start && end < to.length - start && isEqualAtEnd()) end += 1;
  const kept = (lines: readonly string[]): LineChange[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...kept(from.slice(0, start)),
    ...diffMiddle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...kept(from.slice(from.length - end)),
  ];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** By the longest common subsequence. `common` of two positions: how many lines the rests of both have in common. */
function diffMiddle(from: readonly string[], to: readonly string[]): LineChange[] {
  const columns = to.length + 1;
  const common = new Uint32Array(from.length * to.length > pairsMax ? 0 : (from.length + 1) * columns);
  if (common.length > 0)
    for (let at = from.length - 1; at >= 0; at -= 1)
      for (let other = to.length - 1; other >= 0; other -= 1) {
        const [below, right] = [common[(at + 1) * columns + other] ?? 0, common[at * columns + other + 1] ?? 0];
        const both = (common[(at + 1) * columns + other + 1] ?? 0) + 1;
        common[at * columns + other] = from[at] === to[other] ? both : Math.max(below, right);
      }
  const changes: LineChange[] = [];
  let [at, other] = [0, 0];
  while (at < from.length || other < to.length) {
    const [mine, theirs] = [from[at], to[other]];
    const [below, right] = [common[(at + 1) * columns + other] ?? 0, common[at * columns + other + 1] ?? 0];
    if (common.length > 0 && mine !== undefined && mine === theirs) {
      changes.push({ kind: 'same', text: mine });
      at += 1;
      other += 1;
    } else if (mine !== undefined && (theirs === undefined || below >= right)) {
      changes.push({ kind: 'removed', text: mine });
      at += 1;
    } else {
      changes.push({ kind: 'added', text: theirs as string });
      other += 1;
    }
  }
  return changes;
}
