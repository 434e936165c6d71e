import type { ConfigProblem } from './config-error';

const prefix = 'SLUICE_';

/** Kubernetes injects these for every Service of the namespace; ours are named `sluice-…`. */
const serviceLink = /_(SERVICE_(HOST|PORT)(_.*)?|PORT_\d+_(TCP|UDP)(_.*)?)$/;

/** Settings of the sandbox, which shares an environment with the services but not a table. */
const sandboxPrefix = 'SLUICE_SANDBOX_';

/** A problem for each `SLUICE_*` name that no table knows: it is a misspelled one, and names the nearest. */
export function unknownNames(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): ConfigProblem[] {
  const hasSandbox = [...known].some((name) => name.startsWith(sandboxPrefix));
  return Object.keys(env)
    .filter((name) => hasSandbox || !name.startsWith(sandboxPrefix))
    .filter((name) => name.startsWith(prefix) && env[name] !== undefined && !known.has(name))
    .filter((name) => !serviceLink.test(name) && !/^(tcp|udp):\/\//.test(env[name] ?? ''))
    .toSorted()
    .map((name) => ({ name, rule: unknownRule(nearestName(name, known)) }));
}

function unknownRule(nearest: string | undefined): string {
  return nearest === undefined ? 'is not a setting of any service' : `is not a setting; did you mean ${nearest}?`;
}

/** The known name with the fewest edits; undefined when even that one differs by more than a third of its length. */
function nearestName(name: string, known: ReadonlySet<string>): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = editDistance(name.slice(prefix.length).toUpperCase(), candidate.replace(prefix, ''));
    if (edits < (best?.edits ?? Infinity)) best = { name: candidate, edits };
  }
  return best && best.edits <= Math.max(2, (best.name.length - prefix.length) / 3) ? best.name : undefined;
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
